//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod effects;
mod forms;
mod http;
mod pages;
mod programs;
mod selects;
mod start;
mod testing;
