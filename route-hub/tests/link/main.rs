//! The hub's end of the link, with phones that do what a test says over a real WebSocket.

mod asking;
mod broadcasts;
mod exposing;
mod facts;
mod generations;
mod kinds;
mod meeting;
mod pages;
mod pausing;
mod processes;
mod resuming;
mod routes;
mod settings;
mod shares;
mod support;
mod wakeups;
