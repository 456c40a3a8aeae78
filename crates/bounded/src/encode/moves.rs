//! Arithmetic on pointers: whether it leaves the object that the pointer belongs to.
//!
//! Mostly the few values that a pointer and an index may have show that it does not, and nothing is encoded.

use super::Encoding;
use crate::circuit::Lit;
use crate::range::domain::Range;
use crate::range::rooms::Rooms;
use crate::ssa::{Node, ValId};
use crate::word::{self, Word};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::value::Value;
use std::ops::Range as Span;

/// More pairs of values than this are not tried one by one.
const MAX_PAIRS: usize = 4096;

impl Encoding<'_> {
    /// When a pointer was moved from one address, away from what that belongs to, to another.
    pub(super) fn strays(&mut self, base: ValId, result: ValId) -> Lit {
        let ranges = self.ranges.clone();
        let rooms = std::mem::take(&mut self.rooms);
        let strays = match (self.moved_by(base, result), ranges.of(base), ranges.of(result)) {
            (Some((op, by)), Range::Set(from), _)
                if ranges.of(by).values().is_some_and(|by| by.count() * from.len() <= MAX_PAIRS) =>
            {
                self.strays_by(&rooms, base, |result, by| op.eval(&[result, by]).ok(), by)
            }
            (_, Range::Set(from), Range::Set(to)) if from.len() * to.len() <= MAX_PAIRS => {
                self.strays_by(&rooms, base, |_, result| Some(result), result)
            }
            _ => self.strays_anywhere(&rooms, base, result),
        };
        self.rooms = rooms;
        strays
    }

    /// What was added to or subtracted from an address to get another, if it was made like that.
    fn moved_by(&self, base: ValId, result: ValId) -> Option<(PrimOp, ValId)> {
        match self.unrolled.values.node(result) {
            Node::Op(op @ PrimOp::Bin(BinOp::Add | BinOp::Sub, _), args) if args[0] == base => {
                Some((*op, args[1]))
            }
            _ => None,
        }
    }

    /// The same where all values of an address and another word are known that make the result.
    fn strays_by(
        &mut self,
        rooms: &Rooms,
        base: ValId,
        result: impl Fn(Value, Value) -> Option<Value>,
        other: ValId,
    ) -> Lit {
        let ranges = self.ranges.clone();
        let values = |id: ValId| ranges.of(id).values().into_iter().flatten();
        let mut bad = Vec::new();
        for from in values(base) {
            let Some(room) = from.defined().and_then(|from| rooms.of(from)) else { continue };
            for with in values(other) {
                let to = result(from, with).and_then(Value::defined);
                if to.is_some_and(|to| !room.contains(&to)) {
                    bad.push((from, with));
                }
            }
        }
        if bad.is_empty() {
            return Lit::FALSE;
        }
        let (base, other) = (self.word(base), self.word(other));
        let mut lits = Vec::with_capacity(bad.len());
        for (from, with) in bad {
            let (from, with) = (base.is(&mut self.circuit, from), other.is(&mut self.circuit, with));
            lits.push(self.circuit.and(from, with));
        }
        self.circuit.or_all(&lits)
    }

    /// The same for any values: room by room.
    fn strays_anywhere(&mut self, rooms: &Rooms, base: ValId, result: ValId) -> Lit {
        let ranges = self.ranges.clone();
        let known: Option<Vec<u64>> =
            ranges.of(base).values().map(|values| values.filter_map(Value::defined).collect());
        let (from, to) = (self.word(base), self.word(result));
        let mut lits = Vec::new();
        for room in rooms.iter() {
            let inside = match &known {
                Some(values) => {
                    let inside = values.iter().filter(|value| room.contains(value));
                    let lits: Vec<Lit> =
                        inside.map(|value| from.is(&mut self.circuit, Value::new(*value))).collect();
                    self.circuit.or_all(&lits)
                }
                None => self.is_inside(&from, room),
            };
            if inside != Lit::FALSE {
                let stays = self.is_inside(&to, room);
                lits.push(self.circuit.and(inside, !stays));
            }
        }
        self.circuit.or_all(&lits)
    }

    fn is_inside(&mut self, word: &Word, room: &Span<u64>) -> Lit {
        let less = PrimOp::Cmp(CmpOp::Lt, false);
        let mut below = |limit: u64| {
            let limit = Word::constant(Value::new(limit));
            word::apply(&mut self.circuit, less, &[word, &limit]).bits[0]
        };
        let (before, inside) = (below(room.start), below(room.end));
        self.circuit.and(!before, inside)
    }
}
