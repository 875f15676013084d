//! Reverse proxies as child processes: [`ReverseProxy`].

use std::io::ErrorKind;
use std::net::TcpStream;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::eventually::eventually;
use crate::process::Process;
use crate::redis::Port;

/// nginx or `HAProxy` on its own port, killed on drop.
#[derive(Debug)]
pub struct ReverseProxy {
    _process: Process,
    port: Port,
    _folder: TempDir,
}

impl ReverseProxy {
    /// Starts nginx with the content of its block `http`, in which `LISTEN` is the address.
    #[track_caller]
    pub fn nginx(http: &str) -> Self {
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {name};"))
            .concat();
        // In one process, which can be killed.
        let config = format!(
            "daemon off; master_process off; pid nginx.pid;\nerror_log stderr error;\n\
             events {{}}\nhttp {{ access_log off; {paths}\n{http}\n}}\n"
        );
        let arguments = ["-e", "stderr", "-p", ".", "-c", "proxy.conf"];
        Self::start("nginx", "nginx", &arguments, &config)
    }

    /// Starts `HAProxy` with a configuration in which `LISTEN` is the address.
    #[track_caller]
    pub fn haproxy(config: &str) -> Self {
        let arguments = ["-db", "-q", "-f", "proxy.conf"];
        Self::start("haproxy", "haproxy", &arguments, config)
    }

    #[track_caller]
    fn start(program: &str, package: &str, arguments: &[&str], config: &str) -> Self {
        let (port, folder) = (Port::reserve(), TempDir::new().unwrap());
        let address = port.address();
        let config = config.replace("LISTEN", &address.to_string());
        std::fs::write(folder.path().join("proxy.conf"), config).unwrap();
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder.path());
        let child = match command.stdin(Stdio::null()).stdout(Stdio::null()).spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => panic!(
                "{program} is missing: tests/run installs it, or by hand (Debian, Ubuntu): \
                 apt-get install {package}"
            ),
            Err(error) => panic!("{program}: {error}"),
        };
        let mut process = Process::of(child);
        eventually("the proxy accepts connections", || {
            assert!(!process.has_ended(), "{program} rejects its configuration");
            TcpStream::connect(address).ok()
        });
        Self {
            _process: process,
            port,
            _folder: folder,
        }
    }

    /// Returns `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.port.address().to_string()
    }
}
