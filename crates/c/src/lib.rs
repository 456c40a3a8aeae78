//! The C front end.
