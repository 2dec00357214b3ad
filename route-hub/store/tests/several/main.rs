//! Several processes on one PostgreSQL: nothing is lost, nothing is done twice, whatever happens to a
//! connection. They need a server: `scripts/test storage --database postgres`.

#[cfg(test)]
mod limits;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod proxy;
#[cfg(test)]
mod versions;
