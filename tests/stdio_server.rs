//! A server over stdio whose tools do what they should not.

use mcp_elicit::prelude::*;

/// Prints, and starts a process that prints and reads.
#[tool]
async fn print() -> String {
    println!("printed by the handler");
    let script = "echo printed by its child; cat | wc -c >&2";
    let shell = || std::process::Command::new("/bin/sh");
    let said = shell().args(["-c", script]).status();
    let read = shell()
        .args(["-c", "cat"])
        .stdout(std::process::Stdio::piped())
        .spawn();
    let read = read.and_then(|child| child.wait_with_output());
    match (said, read) {
        (Ok(_), Ok(read)) => format!("read {} bytes", read.stdout.len()),
        _ => "no shell".to_owned(),
    }
}

/// Who calls?
#[tool]
async fn who(cx: &Cx) -> String {
    format!("{} {}", cx.principal().issuer(), cx.principal().subject())
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    Server::new("my Server", "1.0.0")
        .tools(toolset![print, who])
        .serve_stdio()
        .await
}
