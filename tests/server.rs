//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod checks;
mod corpus;
mod effects;
mod fills;
mod forms;
mod http;
mod lifetimes;
mod model;
mod pages;
mod payloads;
mod programs;
mod prompts;
mod selects;
mod start;
mod states;
