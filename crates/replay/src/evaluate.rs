//! Evaluates a model on one execution, operator by operator, as cat defines them.

use crate::relation::Matrix;
use crate::world::Run;
use fencepost_harness::trace::{Action, Source, Start, Trace};
use fencepost_lsl::program::{Fence, Order};
use fencepost_models::cat::{BaseRelation, BaseSet, Model, Relation, Set, Test};
use rustc_hash::FxHashMap;

/// An execution: the accesses and fences of a trace.
pub(crate) struct Execution<'t> {
    trace: &'t Trace,
    runs: &'t [Run],
    /// Positions of the stores and frees in coherence.
    coherence: FxHashMap<usize, usize>,
    /// Number of the call each event belongs to, in its thread.
    calls: Vec<usize>,
}

impl<'t> Execution<'t> {
    pub(crate) fn new(trace: &'t Trace, runs: &'t [Run]) -> Execution<'t> {
        let coherence = trace.stores.iter().enumerate().map(|(at, id)| (id.index(), at)).collect();
        let mut calls = vec![usize::MAX; trace.events.len()];
        for thread in &trace.threads {
            for (number, call) in thread.calls.iter().enumerate() {
                call.events.clone().for_each(|event| calls[event] = number);
            }
        }
        Execution { trace, runs, coherence, calls }
    }

    /// Checks all constraints. Returns what the first acyclic one relates, with all it implies.
    pub(crate) fn check(&self, model: &Model) -> Result<Matrix, String> {
        let mut order = None;
        for constraint in &model.constraints {
            let relation = self.relation(&constraint.relation);
            let broken = match constraint.test {
                Test::Acyclic => {
                    let closure = relation.closure();
                    let broken = closure.loops();
                    order.get_or_insert(closure);
                    broken
                }
                Test::Irreflexive => relation.loops(),
                Test::Empty => relation.any().map(|(x, _)| x),
            };
            if let Some(event) = broken {
                return Err(format!(
                    "the model `{}` forbids it: `{}` is broken at event {event}",
                    model.name, constraint.name
                ));
            }
        }
        Ok(order.unwrap_or_else(|| Matrix::new(self.trace.events.len())))
    }

    fn size(&self) -> usize {
        self.trace.events.len()
    }

    fn relation(&self, relation: &Relation) -> Matrix {
        match relation {
            Relation::Empty => Matrix::new(self.size()),
            Relation::Base(base) => Matrix::from_fn(self.size(), |x, y| self.related(*base, x, y)),
            Relation::Union(a, b) => self.relation(a).combine(&self.relation(b), |a, b| a | b),
            Relation::Inter(a, b) => self.relation(a).combine(&self.relation(b), |a, b| a & b),
            Relation::Diff(a, b) => self.relation(a).combine(&self.relation(b), |a, b| a & !b),
            Relation::Seq(a, b) => self.relation(a).then(&self.relation(b)),
            Relation::Inverse(r) => self.relation(r).inverse(),
            Relation::Optional(r) => {
                let identity = Matrix::from_fn(self.size(), |x, y| x == y);
                self.relation(r).combine(&identity, |a, b| a | b)
            }
            Relation::Plus(r) => self.relation(r).closure(),
            Relation::Identity(set) => Matrix::from_fn(self.size(), |x, y| x == y && self.member(set, x)),
            Relation::Product(a, b) => {
                Matrix::from_fn(self.size(), |x, y| self.member(a, x) && self.member(b, y))
            }
        }
    }

    /// The bytes an event accesses: those of a load or store.
    fn bytes(&self, event: usize) -> std::ops::Range<u64> {
        self.trace.events[event].action.access().map_or(0..0, |(addr, size)| addr..addr + size)
    }

    fn overlap(&self, x: usize, y: usize) -> bool {
        let (a, b) = (self.bytes(x), self.bytes(y));
        a.start.max(b.start) < a.end.min(b.end)
    }

    fn is_store(&self, event: usize) -> bool {
        matches!(self.trace.events[event].action, Action::Store { .. })
    }

    /// Whether a store comes before another in coherence.
    fn before(&self, x: usize, y: usize) -> bool {
        match (self.coherence.get(&x), self.coherence.get(&y)) {
            (Some(a), Some(b)) => a < b && self.overlap(x, y),
            _ => false,
        }
    }

    /// Whether events take part: fences, loads and stores, but not what happens before all of them.
    fn related(&self, base: BaseRelation, x: usize, y: usize) -> bool {
        let (a, b) = (&self.trace.events[x], &self.trace.events[y]);
        let internal = a.thread == b.thread;
        let po = internal && x < y;
        let depends =
            |on: &std::collections::BTreeSet<_>| on.contains(&fencepost_harness::trace::EventId(x as u32));
        match base {
            BaseRelation::Po => po,
            BaseRelation::PoLoc => po && self.overlap(x, y),
            BaseRelation::Loc => self.overlap(x, y),
            BaseRelation::Int => internal,
            BaseRelation::Ext => !internal,
            BaseRelation::Id => x == y,
            BaseRelation::Rf => self.reads_from(y).any(|(_, source)| source == Some(x)),
            BaseRelation::Co => self.is_store(x) && self.is_store(y) && self.before(x, y),
            BaseRelation::Fr => {
                self.is_store(y)
                    && self.reads_from(x).any(|(bytes, source)| {
                        let other = self.bytes(y);
                        let touches = bytes.start.max(other.start) < bytes.end.min(other.end);
                        touches && source.is_none_or(|source| self.before(source, y))
                    })
            }
            BaseRelation::Addr => self.bytes(y) != (0..0) && depends(&self.runs[y].addr),
            BaseRelation::Data => self.is_store(y) && depends(&self.runs[y].data),
            BaseRelation::Ctrl => self.bytes(y) != (0..0) && depends(&self.runs[y].ctrl),
            BaseRelation::Atom => a.atomic.is_some() && a.atomic == b.atomic,
            BaseRelation::Op => internal && self.calls[x] == self.calls[y],
            BaseRelation::Start => self.starts(x, y),
        }
    }

    /// The bytes of a load with the store each comes from; none for the initial content.
    fn reads_from(&self, load: usize) -> impl Iterator<Item = (std::ops::Range<u64>, Option<usize>)> + '_ {
        let (addr, from) = match &self.trace.events[load].action {
            Action::Load { addr, from, .. } => (*addr, from.as_slice()),
            _ => (0, &[][..]),
        };
        from.iter().map(move |part| {
            let source = match part.source {
                Source::Initial => None,
                Source::Event(id) => Some(id.index()),
            };
            (addr + part.offset..addr + part.offset + part.bytes, source)
        })
    }

    /// Whether the thread of `y` was started after `x`, by the thread of `x`.
    fn starts(&self, x: usize, y: usize) -> bool {
        let (a, b) = (&self.trace.events[x], &self.trace.events[y]);
        match self.trace.threads[b.thread].start {
            Start::Begin => false,
            Start::AfterFirst => a.thread == 0 && b.thread != 0,
            Start::Spawn(spawn) => self.trace.event(spawn).thread == a.thread && x < spawn.index(),
        }
    }

    fn member(&self, set: &Set, event: usize) -> bool {
        let (load, store, fence) = match self.trace.events[event].action {
            Action::Load { order, .. } => (Some(order), None, None),
            Action::Store { order, .. } => (None, Some(order), None),
            Action::Fence(fence) => (None, None, Some(fence)),
            _ => (None, None, None),
        };
        let kinds = fence.unwrap_or(Fence::NONE);
        let access = load.or(store);
        let order = access.unwrap_or(kinds.order);
        match set {
            Set::Union(a, b) => self.member(a, event) || self.member(b, event),
            Set::Inter(a, b) => self.member(a, event) && self.member(b, event),
            Set::Diff(a, b) => self.member(a, event) && !self.member(b, event),
            Set::Base(base) => match base {
                BaseSet::All => true,
                BaseSet::R => load.is_some(),
                BaseSet::W => store.is_some(),
                BaseSet::M => access.is_some(),
                BaseSet::F => fence.is_some(),
                BaseSet::A => access.is_some() && self.trace.events[event].atomic.is_some(),
                BaseSet::LL => kinds.load_load,
                BaseSet::LS => kinds.load_store,
                BaseSet::SL => kinds.store_load,
                BaseSet::SS => kinds.store_store,
                BaseSet::Acq => order.acquires() && store.is_none(),
                BaseSet::Rel => order.releases() && load.is_none(),
                BaseSet::Sc => order == Order::SeqCst,
                BaseSet::Atomic => access.is_some_and(|order| order != Order::Plain),
            },
        }
    }
}
