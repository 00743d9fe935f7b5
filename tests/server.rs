//! Servers as their clients see them, without sockets.

mod effects;
mod forms;
mod http;
mod pages;
mod start;
