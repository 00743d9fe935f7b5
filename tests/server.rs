//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod effects;
mod forms;
mod held;
mod http;
mod looks;
mod pages;
mod prefix;
mod programs;
mod selects;
mod start;
