mod cases;
mod operate;
