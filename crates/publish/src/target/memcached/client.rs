//! A connection to a memcached: [`Client`], for commands of the meta protocol whose reply is one line.

use std::io::{self, ErrorKind};

use redis_nodes::redis_link::{Address, REPLY_LINE_BYTES_MAX, ReplyError};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A connection. After an error it must not be used again.
pub(super) struct Client(BufReader<TcpStream>);

/// A reply of the meta protocol.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MetaReply {
    /// `HD`: it was done.
    Done { cas: Option<u64> },
    /// `EN`, `NF`: there is no item.
    Missing,
    /// `EX`, `NS`: the condition was not met.
    Overtaken,
}

impl Client {
    pub(super) async fn connect(address: &Address) -> io::Result<Self> {
        let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a command, and the data that follow it. Returns its reply, or the server's error.
    pub(super) async fn ask(
        &mut self,
        command: &str,
        data: Option<&[u8]>,
    ) -> io::Result<Result<MetaReply, String>> {
        let mut request = [command.as_bytes(), b"\r\n"].concat();
        if let Some(data) = data {
            request.extend_from_slice(data);
            request.extend_from_slice(b"\r\n");
        }
        self.0.write_all(&request).await?;
        let line = self.line().await?;
        Ok(parse(&line).ok_or(line))
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        let limit = REPLY_LINE_BYTES_MAX as u64;
        let mut limited = (&mut self.0).take(limit);
        let length = limited.read_until(b'\n', &mut line).await?;
        match line.strip_suffix(b"\r\n") {
            Some(line) => Ok(String::from_utf8_lossy(line).into_owned()),
            None if length == REPLY_LINE_BYTES_MAX => {
                Err(io::Error::other(ReplyError::LineTooLong))
            }
            None if line.ends_with(b"\n") => Err(io::Error::other(ReplyError::Malformed)),
            None => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn parse(line: &str) -> Option<MetaReply> {
    let mut words = line.split(' ');
    Some(match words.next()? {
        "HD" => MetaReply::Done {
            cas: words.find_map(|word| word.strip_prefix('c')?.parse().ok()),
        },
        "EN" | "NF" => MetaReply::Missing,
        "EX" | "NS" => MetaReply::Overtaken,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_one_line_are_parsed() {
        let done = |cas| Some(MetaReply::Done { cas });
        for (line, expected) in [
            ("HD", done(None)),
            ("HD c27", done(Some(27))),
            ("HD t60 c3", done(Some(3))),
            ("EN", Some(MetaReply::Missing)),
            ("NF", Some(MetaReply::Missing)),
            ("EX", Some(MetaReply::Overtaken)),
            ("NS", Some(MetaReply::Overtaken)),
            ("VA 2000000000", None),
            ("SERVER_ERROR out of memory storing object", None),
            ("", None),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
