//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod checks;
mod effects;
mod fills;
mod forms;
mod http;
mod lifetimes;
mod pages;
mod programs;
mod selects;
mod start;
mod testing;
