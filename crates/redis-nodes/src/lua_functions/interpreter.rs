//! Functions, run in this process: [`Interpreter`] is a Lua 5.1 like that of Redis with the
//! function library loaded, [`Run`] one call in it.
//!
//! There is no I/O here: a run stops at each command, and continues with the reply that it is
//! given.

use bytes::Bytes;
use mlua::thread::ThreadStatus;
use mlua::{Function, Lua, LuaOptions, MultiValue, StdLib, Table, Thread, Value};

use super::command::{Command, Sort};
use super::{cmsgpack, packed, reply};
use crate::redis_link::Reply;

/// The table `redis` of the library.
const REDIS: &str = include_str!("redis.lua");

/// The functions, ready to be called, one at a time.
#[derive(Debug, Clone)]
pub struct Interpreter {
    lua: Lua,
    functions: Table,
}

/// A function that is running.
#[derive(Debug)]
pub struct Run<'l> {
    lua: &'l Lua,
    thread: Thread,
    next: MultiValue,
}

/// Where a run has stopped.
#[derive(Debug)]
pub enum Step {
    /// At a command whose reply it needs.
    Asks(Command),
    /// At a command that is to be sent when the function has ended: the function does not get its
    /// reply.
    Writes(Command),
    /// At its end.
    Says(Bytes),
}

/// Why a function failed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

impl From<mlua::Error> for Broken {
    /// Omits the stack trace.
    fn from(error: mlua::Error) -> Self {
        let words = error.to_string();
        Self(words.lines().next().unwrap_or_default().to_owned())
    }
}

impl Interpreter {
    /// Creates an interpreter with this function library, in Lua.
    pub fn new(library: &str) -> Result<Self, Broken> {
        let libs = StdLib::STRING | StdLib::TABLE | StdLib::MATH;
        let lua = Lua::new_with(libs, LuaOptions::default())?;
        lua.globals().set("cmsgpack", cmsgpack::library(&lua)?)?;
        lua.globals().set("struct", packed::library(&lua)?)?;
        let functions = lua.load(REDIS).set_name("=redis").eval()?;
        lua.load(library).set_name("=megaboard").exec()?;
        Ok(Self { lua, functions })
    }

    /// Returns the value of a piece of Lua.
    pub fn eval(&self, source: &str) -> Result<Bytes, Broken> {
        let text: mlua::LuaString = self.lua.load(source).eval()?;
        Ok(bytes_of(&text))
    }

    /// Begins a call.
    pub fn begin(&self, function: &str, keys: &[Bytes], args: &[Bytes]) -> Result<Run<'_>, Broken> {
        let found: Option<Function> = self.functions.get(function)?;
        let function =
            found.ok_or_else(|| Broken(format!("function {function} does not exist")))?;
        let texts = |texts: &[Bytes]| -> mlua::Result<Value> {
            let list = self.lua.create_table_with_capacity(texts.len(), 0)?;
            for (place, text) in texts.iter().enumerate() {
                list.raw_seti(place + 1, self.lua.create_string(text)?)?;
            }
            Ok(Value::Table(list))
        };
        Ok(Run {
            lua: &self.lua,
            thread: self.lua.create_thread(function)?,
            next: MultiValue::from(vec![texts(keys)?, texts(args)?]),
        })
    }
}

impl Run<'_> {
    /// Continues until it stops again.
    pub fn step(&mut self) -> Result<Step, Broken> {
        let next = std::mem::take(&mut self.next);
        let said: MultiValue = self.thread.resume(next)?;
        if self.thread.status() != ThreadStatus::Resumable {
            return match said.iter().next() {
                Some(Value::String(text)) => Ok(Step::Says(bytes_of(text))),
                _ => Err(Broken("a function did not return a string".to_owned())),
            };
        }
        let mut words = said.iter().map(text_of);
        let name = words.next().unwrap_or_else(|| Ok(Bytes::new()))?;
        let args = words.collect::<Result<_, _>>()?;
        match Command::of(&name, args) {
            Some((command, Sort::Asks)) => Ok(Step::Asks(command)),
            Some((command, Sort::Writes)) => Ok(Step::Writes(command)),
            None => Err(Broken(format!(
                "functions must not call {}",
                String::from_utf8_lossy(&name)
            ))),
        }
    }

    /// Takes the reply to the command at which it stopped.
    pub fn answer(&mut self, command: &Command, answer: &Reply) -> Result<(), Broken> {
        let answer = reply::to_lua(self.lua, command, answer)?;
        self.next = MultiValue::from(vec![answer]);
        Ok(())
    }
}

fn bytes_of(text: &mlua::LuaString) -> Bytes {
    Bytes::copy_from_slice(&text.as_bytes())
}

/// Returns a word of a command.
fn text_of(word: &Value) -> Result<Bytes, Broken> {
    match word {
        Value::String(text) => Ok(bytes_of(text)),
        Value::Integer(number) => Ok(Bytes::from(number.to_string())),
        Value::Number(number) => Ok(Bytes::from(reply::number_text(*number))),
        other => Err(Broken(format!(
            "an argument of a command is a {}",
            other.type_name()
        ))),
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn interpreter(callback: &str) -> Interpreter {
        let library = format!(
            "redis.register_function{{function_name = 'f', callback = function(keys, args)
                local call = redis.call
                {callback}
            end}}"
        );
        Interpreter::new(&library).unwrap()
    }

    fn blob(text: &'static str) -> Reply {
        Reply::BlobString {
            data: Bytes::from_static(text.as_bytes()),
            attributes: None,
        }
    }

    fn array(data: Vec<Reply>) -> Reply {
        Reply::Array {
            data,
            attributes: None,
        }
    }

    fn words(step: &Step) -> String {
        let (Step::Asks(command) | Step::Writes(command)) = step else {
            panic!("{step:?}");
        };
        let args = command.args.iter();
        let args = args.map(|arg| format!(" {}", String::from_utf8_lossy(arg)));
        command.name.to_owned() + &args.collect::<String>()
    }

    /// Runs a call to its end, with these replies.
    fn run(callback: &str, answers: &[Reply]) -> (Vec<String>, Result<Bytes, Broken>) {
        let interpreter = interpreter(callback);
        let keys = [Bytes::from_static(b"k")];
        let mut run = interpreter.begin("f", &keys, &keys).unwrap();
        let (mut commands, mut answers) = (Vec::new(), answers.iter());
        loop {
            let step = match run.step() {
                Ok(Step::Says(said)) => return (commands, Ok(said)),
                Err(broken) => return (commands, Err(broken)),
                Ok(step) => step,
            };
            commands.push(words(&step));
            if let Step::Asks(command) = &step {
                run.answer(command, answers.next().unwrap()).unwrap();
            }
        }
    }

    #[test]
    fn a_run_stops_at_each_command() {
        let (commands, said) = run(
            "local n = call('HGET', keys[1], 'n')
             call('HSET', keys[1], 'n', n + 1, 'big', 2^53, 'half', 0.5)
             return 'R' .. n",
            &[blob("7")],
        );
        let expected = ["HGET k n", "HSET k n 8 big 9007199254740992 half 0.5"];
        assert_eq!(commands, expected);
        assert_eq!(said.unwrap(), "R7");
    }

    #[test]
    fn replies_look_like_those_of_redis() {
        let score = Reply::Double {
            data: 2.5,
            attributes: None,
        };
        let number = Reply::Number {
            data: 3,
            attributes: None,
        };
        let (_, said) = run(
            "local values = call('HMGET', keys[1], 'a', 'b')
             local n = call('ZCARD', keys[1])
             local scored = call('ZREVRANGE', keys[1], 0, 0, 'WITHSCORES')
             local names = call('ZREVRANGE', keys[1], 0, 0)
             return table.concat({'R', values[1], tostring(values[2]), #values, n + 1,
                 scored[1], scored[2], #scored, names[1], #names}, ' ')",
            &[
                array(vec![blob("x"), Reply::Null]),
                number,
                array(vec![array(vec![blob("m"), score.clone()])]),
                array(vec![array(vec![blob("m"), score])]),
            ],
        );
        assert_eq!(said.unwrap(), "R x false 2 4 m 2.5 2 m 1");
    }

    #[test]
    fn lists_of_names_are_read_by_rank() {
        let number = |data| Reply::Number {
            data,
            attributes: None,
        };
        let callback = "return 'R' .. #call('ZRANGEBYLEX', keys[1], '(b', '+', 'LIMIT', 0, '10')";
        let (commands, said) = run(callback, &[number(4), array(Vec::new())]);
        assert_eq!(commands, ["ZLEXCOUNT k - [b", "ZRANGE k 4 13"]);
        assert_eq!(said.unwrap(), "R0");
        let callback = "return 'R' .. #call('ZRANGEBYLEX', keys[1], '[b', '(c', 'LIMIT', 0, '10')";
        let (commands, said) = run(callback, &[number(4), number(6), array(Vec::new())]);
        let counts = ["ZLEXCOUNT k - (b", "ZLEXCOUNT k - (c"];
        assert_eq!(commands, [&counts[..], &["ZRANGE k 4 5"]].concat());
        assert_eq!(said.unwrap(), "R0");
        let (commands, said) = run(callback, &[number(4), number(4)]);
        assert_eq!(commands, counts);
        assert_eq!(said.unwrap(), "R0");
        let (_, said) = run("call('ZRANGEBYLEX', keys[1], '-', '[z')", &[]);
        assert!(said.unwrap_err().0.contains("ZRANGEBYLEX is known as"));
    }

    #[test]
    fn errors_of_functions_are_one_line() {
        for (callback, words) in [
            ("return 1", "did not return a string"),
            ("call('EVAL', 'x')", "must not call EVAL"),
            ("call('GET', {})", "is a table"),
            ("return 'R' .. nil", "concatenate a nil"),
            ("return 'R' .. 1 + call('HSET', 'k', 'f', 1)", "arithmetic"),
        ] {
            let (_, said) = run(callback, &[]);
            let broken = said.unwrap_err().0;
            assert!(broken.contains(words), "{broken}");
            assert!(!broken.contains('\n'), "{broken}");
        }
        let none = interpreter("").begin("g", &[], &[]).map(drop);
        assert_eq!(none, Err(Broken("function g does not exist".to_owned())));
    }
}
