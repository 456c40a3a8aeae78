//! Declarations of oracles: `queue, bounded(2) for e, d`.
//!
//! A file makes one with a pragma, a user on the command line. It names the kind of collection, how calls wait
//! for each other, and which operations are meant; without the last, all of them are.

use super::{Kind, Protocol};
use crate::operation::{Harness, Operation};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, Span};

/// What a file or a user says about its oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The kind of collection.
    pub kind: Kind,
    /// How calls wait for each other.
    pub protocol: Protocol,
    /// The operations that are meant, by name; all of them if there is none.
    pub operations: Vec<(String, Span)>,
}

/// Reads a declaration. `at` is where `text` starts in `file`.
pub fn parse(text: &str, file: FileId, at: u32) -> Result<Declaration, Diagnostic> {
    let (oracle, operations) = match text.split_once(" for ") {
        Some((oracle, operations)) => (oracle, Some(operations)),
        None => (text, None),
    };
    let span = |part: &str| {
        // Both are parts of the same text.
        let start = at + (part.as_ptr() as usize - text.as_ptr() as usize) as u32;
        Span::new(file, start, start + part.len() as u32)
    };
    let (kind, protocol) = match oracle.split_once(',') {
        Some((kind, protocol)) => (kind.trim(), Some(protocol.trim())),
        None => (oracle.trim(), None),
    };
    let Some(found) = Kind::named(kind) else {
        let names: Vec<String> = Kind::ALL.iter().map(|kind| kind.name().replace(' ', "-")).collect();
        let problem = Diagnostic::error(span(kind), format!("unknown oracle `{kind}`"));
        return Err(problem.help(format!("the oracles are: {}", names.join(", "))));
    };
    let protocol = match protocol {
        None => Protocol::NonBlocking,
        Some(name) => {
            // `bounded:2` spares the quotes that brackets need in a shell.
            let plain = match name.split_once(':') {
                Some((word, capacity)) => format!("{word}({capacity})"),
                None => name.to_owned(),
            };
            Protocol::named(&plain).ok_or_else(|| {
                Diagnostic::error(span(name), format!("unknown protocol `{name}`"))
                    .help("the protocols are: nonblocking, limited(n), bounded(n), synchronous")
            })?
        }
    };
    let names = operations.into_iter().flat_map(|names| names.split(',')).map(str::trim);
    let operations = names.map(|name| (name.to_owned(), span(name))).collect();
    Ok(Declaration { kind: found, protocol, operations })
}

impl Declaration {
    /// Leaves in a harness only the operations that are meant, and nothing that speaks of the others, whose names
    /// are given back.
    pub fn select(&self, harness: &mut Harness) -> Result<Vec<String>, Vec<Diagnostic>> {
        let unknown = self.operations.iter().filter(|(name, _)| harness.find_op(name).is_none());
        let problems: Vec<Diagnostic> = unknown
            .map(|(name, span)| Diagnostic::error(*span, format!("there is no operation `{name}`")))
            .collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        harness.tests.clear();
        harness.expectations.clear();
        if self.operations.is_empty() {
            return Ok(Vec::new());
        }
        let meant = |op: &Operation| self.operations.iter().any(|(name, _)| *name == op.name);
        let left_out = harness.ops.iter().filter(|op| !meant(op)).map(|op| op.name.clone()).collect();
        harness.ops.retain(meant);
        Ok(left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Kind, Protocol, Vec<String>), String> {
        let names = |found: Declaration| found.operations.into_iter().map(|(name, _)| name).collect();
        parse(text, FileId(0), 0)
            .map(|found| (found.kind, found.protocol, names(found)))
            .map_err(|problem| problem.message)
    }

    #[test]
    fn declarations() {
        assert_eq!(read("set"), Ok((Kind::Set, Protocol::NonBlocking, vec![])));
        assert_eq!(read("pqueue for a, r").map(|found| found.2), Ok(vec!["a".into(), "r".into()]));
        assert_eq!(read("queue, bounded(2)").map(|found| found.1), Ok(Protocol::Bounded(2)));
        assert_eq!(read("queue,bounded:2").map(|found| found.1), Ok(Protocol::Bounded(2)));
        assert_eq!(read("bag"), Err("unknown oracle `bag`".into()));
        assert_eq!(read("queue, eager"), Err("unknown protocol `eager`".into()));
    }
}
