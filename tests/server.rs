//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod checks;
mod effects;
mod fills;
mod forms;
mod held;
mod http;
mod lifetimes;
mod looks;
mod pages;
mod prefix;
mod programs;
mod prompts;
mod selects;
mod start;
