//! The checks that need more than cargo: judges from outside, and a look at what is built in.
//!
//! Uses the standard library only, so that it builds in seconds. Nothing here is part of the library.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for a person at a terminal"
)]

mod browser;
mod clients;
mod compile_time;
mod conformance;
mod expected;
mod held;
mod http;
mod json;
mod npm;
mod packages;
mod place;
mod recorder;
mod relay;
mod schema;
mod server;
mod seven;
mod soak;
mod verify;

use std::process::ExitCode;

use place::Tried;

const USAGE: &str = "\
cargo xtask verify [--nothing-skipped] [JUDGE..]   run the judges from outside (seven, browser, conformance, clients), all unless named
cargo xtask compile-time                           measure what a derive costs, beside serde's and schemars'
cargo xtask held                                   measure ten thousand held retries: memory, wake-up, shutdown
cargo xtask soak [SECONDS]                         two thousand clients for ten minutes: answers, memory, what is left
cargo xtask packages                               check licence, Rust version and source of all packages";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Tried<()> {
    let (name, rest) = arguments.split_first().ok_or(USAGE)?;
    // For the judges alone, and the options are another's.
    if name == "relay" {
        return relay::run(rest);
    }
    let (switches, names): (Vec<String>, Vec<String>) =
        rest.iter().cloned().partition(|word| word.starts_with('-'));
    let known = |switch: &String| name == "verify" && switch == "--nothing-skipped";
    if let Some(unknown) = switches.iter().find(|switch| !known(switch)) {
        return Err(format!("unknown option `{unknown}`\n{USAGE}"));
    }
    match name.as_str() {
        "verify" => verify::run(&names, !switches.is_empty()),
        "compile-time" if names.is_empty() => compile_time::run(),
        "held" if names.is_empty() => held::run(),
        "soak" if names.len() < 2 => soak::run(names.first().map(String::as_str)),
        "packages" if names.is_empty() => packages::run(),
        _ => Err(format!(
            "unknown command `{}`\n{USAGE}",
            arguments.join(" ")
        )),
    }
}
