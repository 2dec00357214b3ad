//! Several hubs on one database, and the mistakes that their tests must catch.

mod anew;
mod hints;
mod posts;
