//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod checks;
mod deploys;
mod effects;
mod fills;
mod forms;
mod http;
mod lifetimes;
mod limits;
mod once;
mod operate;
mod pages;
mod parking;
mod phishing;
mod prefill;
mod programs;
mod prompts;
mod security;
mod selects;
mod start;
mod vault;
