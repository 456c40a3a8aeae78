//! What fences cost: a number for each kind, more in loops.
//!
//! The defaults stand for what hardware makes of fences: those that keep loads in order, or stores, are
//! cheap; only one that keeps loads behind stores must wait until the store buffer is empty. A loop counts
//! as if it ran twice, whatever it does: enough to keep fences out of loops where one outside will do, too
//! little to put three outside instead of one inside.

use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::Slot;
use thiserror::Error;

/// A loop deeper than this costs no more.
const DEEPEST: u32 = 8;

/// Costs by kind and loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Costs {
    /// In the order of [`FenceKind::ALL`]; not zero.
    kinds: [u64; FenceKind::ALL.len()],
    /// By what each loop around a fence multiplies its cost; not zero.
    in_loop: u64,
}

impl Default for Costs {
    fn default() -> Costs {
        // load-load, load-store, store-store, store-load, full; acquire, release, acq_rel, seq_cst
        Costs { kinds: [1, 1, 1, 4, 5, 1, 1, 2, 5], in_loop: 2 }
    }
}

/// What is wrong with a text of costs, and in which line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// Not of the form `kind = number`.
    #[error("line {0}: write a kind of fence and what it costs, as in `store-load = 4`")]
    Form(usize),
    /// A name that is no kind.
    #[error("line {0}: unknown kind of fence `{1}`; the kinds are {names}, and `loop` for what a loop multiplies by", names = names())]
    Kind(usize, String),
    /// Not a number from 1 to 1000.
    #[error("line {0}: `{1}` is no cost; write a whole number from 1 to 1000")]
    Number(usize, String),
    /// Given twice.
    #[error("line {0}: `{1}` has a cost already")]
    Twice(usize, String),
}

fn names() -> String {
    FenceKind::ALL.map(FenceKind::name).join(", ")
}

impl Costs {
    /// Reads lines such as `store-load = 4` or `loop = 3`; `#` starts a comment. Kinds that are not
    /// mentioned keep their default.
    pub fn parse(text: &str) -> Result<Costs, Error> {
        let mut costs = Costs::default();
        let mut seen: Vec<&str> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let words: Vec<&str> = line.split(|c: char| c == '=' || c.is_whitespace()).collect();
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            let [name, cost] = words[..] else { return Err(Error::Form(number)) };
            let value = match cost.parse() {
                Ok(value @ 1..=1000) => value,
                _ => return Err(Error::Number(number, cost.to_owned())),
            };
            if seen.contains(&name) {
                return Err(Error::Twice(number, name.to_owned()));
            }
            seen.push(name);
            match FenceKind::named(name) {
                Some(kind) => costs.kinds[kind as usize] = value,
                None if name == "loop" => costs.in_loop = value,
                None => return Err(Error::Kind(number, name.to_owned())),
            }
        }
        Ok(costs)
    }

    /// What a fence of a kind costs at a place.
    pub fn of(&self, kind: FenceKind, slot: &Slot) -> u64 {
        self.kinds[kind as usize].saturating_mul(self.in_loop.saturating_pow(slot.loop_depth.min(DEEPEST)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_lsl::source::{FileId, Span};

    fn slot(loop_depth: u32) -> Slot {
        Slot { at: Span::new(FileId(0), 0, 0), alone: None, function: "f".into(), loop_depth }
    }

    #[test]
    fn by_kind_and_loop() {
        let costs = Costs::default();
        assert_eq!(costs.of(FenceKind::StoreLoad, &slot(0)), 4);
        assert_eq!(costs.of(FenceKind::LoadLoad, &slot(2)), 4);
        let costs = Costs::parse("# mine\nstore-load = 10\nloop 3 # each\n").expect("it is right");
        assert_eq!(costs.of(FenceKind::StoreLoad, &slot(1)), 30);
        assert_eq!(costs.of(FenceKind::Full, &slot(0)), 5);
    }

    #[test]
    fn mistakes_name_their_line() {
        let wrong = |text: &str| Costs::parse(text).expect_err(text).to_string();
        assert!(wrong("full").starts_with("line 1: write a kind"));
        assert!(wrong("\nmfence = 3").starts_with("line 2: unknown kind of fence `mfence`"));
        assert!(wrong("full = 0").starts_with("line 1: `0` is no cost"));
        assert_eq!(wrong("full = 2\nfull = 3"), "line 2: `full` has a cost already");
    }
}
