//! What is asked about.

use crate::client::Client;
use crate::test::Test;
use fencepost_lsl::program::ProcId;

/// Something to decide.
#[derive(Clone, PartialEq, Debug)]
pub enum Question {
    /// A test with all choices of its open arguments.
    Test(Test),
    /// A client with fixed arguments: a schedule.
    Client(Client),
    /// The closed program that starts here.
    Main(ProcId),
}

impl Question {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Question::Test(test) => &test.name,
            Question::Client(_) => "client",
            Question::Main(_) => "main",
        }
    }

    /// The test, if it is one.
    pub fn test(&self) -> Option<&Test> {
        match self {
            Question::Test(test) => Some(test),
            Question::Client(_) | Question::Main(_) => None,
        }
    }
}
