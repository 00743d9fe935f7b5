//! Servers as their clients see them, without sockets.

mod breaks;
mod calls;
mod effects;
mod fills;
mod forms;
mod http;
mod operate;
mod pages;
mod programs;
mod selects;
mod start;
