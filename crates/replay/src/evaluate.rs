//! Evaluates a model on one execution, operator by operator, as cat defines them.

use crate::relation::Matrix;
use crate::world::Run;
use fencepost_harness::trace::{Action, EventId, Reordering, Source, Start, Trace};
use fencepost_lsl::program::{Fence, Order};
use fencepost_models::cat::{BaseRelation, BaseSet, Model, Relation, Set, Test};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::iter;
use std::ops::Range;

/// An execution: the accesses and fences of a trace.
pub(crate) struct Execution<'t> {
    trace: &'t Trace,
    runs: &'t [Run],
    /// Positions of the stores and frees in coherence.
    coherence: FxHashMap<usize, usize>,
    /// Number of the call each event belongs to, in its thread.
    calls: Vec<usize>,
    /// What each event writes, as ranges of addresses.
    writes: Vec<Vec<Range<u64>>>,
    /// What each event reads, as ranges of addresses with the event each comes from; none for the initial
    /// content.
    reads: Vec<Vec<(Range<u64>, Option<usize>)>>,
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
        let (writes, reads) = (Vec::new(), Vec::new());
        let mut execution = Execution { trace, runs, coherence, calls, writes, reads };
        execution.writes = (0..trace.events.len()).map(|event| execution.find_writes(event)).collect();
        execution.reads = (0..trace.events.len()).map(|event| execution.find_reads(event)).collect();
        execution
    }

    /// Accesses of different threads that memory must have seen in that order because one reads from the
    /// other or is overwritten by it.
    pub(crate) fn communication(&self) -> Matrix {
        let communicate = [BaseRelation::Rf, BaseRelation::Co, BaseRelation::Fr];
        Matrix::from_fn(self.size(), |x, y| {
            let external = self.trace.events[x].thread != self.trace.events[y].thread;
            external && communicate.iter().any(|base| self.related(*base, x, y))
        })
    }

    /// Checks all constraints. Returns what the first acyclic one relates, with all it implies.
    pub(crate) fn check(&self, model: &Model) -> Result<Matrix, String> {
        self.check_keeping(model, &[])
    }

    /// As [`Self::check`], where the first acyclic constraint also keeps these pairs in order, each with the
    /// atomic blocks that its accesses are in.
    pub(crate) fn check_keeping(&self, model: &Model, kept: &[Reordering]) -> Result<Matrix, String> {
        let mut order = None;
        for constraint in &model.constraints {
            let mut relation = self.relation(&constraint.relation);
            let broken = match constraint.test {
                Test::Acyclic => {
                    if order.is_none() {
                        for pair in kept {
                            self.lift(pair.first, pair.overtook, &mut relation);
                        }
                    }
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

    /// Adds a pair, and all pairs of the same two atomic blocks.
    pub(crate) fn lift(&self, first: EventId, second: EventId, relation: &mut Matrix) {
        let with = |id: EventId| {
            let block = self.trace.event(id).atomic;
            let same = move |&event: &usize| block.is_some() && self.trace.events[event].atomic == block;
            (0..self.size()).filter(same).chain([id.index()]).collect::<Vec<_>>()
        };
        let seconds = with(second);
        for x in with(first) {
            seconds.iter().for_each(|&y| relation.set(x, y));
        }
    }

    /// Whether an event is one that memory takes part in: it reads or writes something.
    pub(crate) fn touches_memory(&self, event: usize) -> bool {
        !self.reads[event].is_empty() || !self.writes[event].is_empty()
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

    fn find_writes(&self, event: usize) -> Vec<Range<u64>> {
        // Those that are faults write nothing; nor do allocations of fresh memory.
        if !self.coherence.contains_key(&event) {
            return Vec::new();
        }
        match self.trace.events[event].action {
            Action::Store { addr, ty, .. } => iter::once(addr..addr + ty.bytes()).collect(),
            Action::Free { addr } => iter::once(life_of(addr)).collect(),
            Action::Alloc { addr, size, .. } => vec![addr..addr + size, life_of(addr)],
            _ => Vec::new(),
        }
    }

    fn find_reads(&self, event: usize) -> Vec<(Range<u64>, Option<usize>)> {
        let source = |source: Source| match source {
            Source::Initial => None,
            Source::Event(id) => Some(id.index()),
        };
        let recorded = &self.trace.events[event];
        let mut reads = Vec::new();
        if let Action::Load { addr, from, .. } = &recorded.action
            && !self.trace.finds_freed(recorded)
        {
            reads.extend(
                from.iter()
                    .map(|part| (addr + part.offset..addr + part.offset + part.bytes, source(part.source))),
            );
        }
        let addr = match recorded.action {
            Action::Load { addr, .. } | Action::Store { addr, .. } => Some(addr),
            Action::Free { addr } | Action::Alloc { addr, .. } => Some(addr),
            _ => None,
        };
        if let (Some(life), Some(base)) = (recorded.life, addr.and_then(|addr| self.base(addr))) {
            reads.push((life_of(base), source(life)));
        }
        reads
    }

    /// The start of the heap object that holds an address.
    fn base(&self, at: u64) -> Option<u64> {
        self.trace.events.iter().find_map(|event| match event.action {
            Action::Alloc { addr, size, .. } if (addr..addr + size.max(1)).contains(&at) => Some(addr),
            _ => None,
        })
    }

    /// Whether two events read or write a common location.
    pub(crate) fn overlap(&self, x: usize, y: usize) -> bool {
        let all = |event: usize| self.reads[event].iter().map(|(range, _)| range).chain(&self.writes[event]);
        all(x).any(|x| all(y).any(|y| meet(x, y)))
    }

    fn is_store(&self, event: usize) -> bool {
        matches!(self.trace.events[event].action, Action::Store { .. })
    }

    /// Whether the writes of one event come before those of another in coherence.
    fn before(&self, x: usize, y: usize) -> bool {
        let (Some(a), Some(b)) = (self.coherence.get(&x), self.coherence.get(&y)) else { return false };
        a < b && self.writes[x].iter().any(|x| self.writes[y].iter().any(|y| meet(x, y)))
    }

    fn is_access(&self, event: usize) -> bool {
        self.trace.events[event].action.access().is_some()
    }

    fn related(&self, base: BaseRelation, x: usize, y: usize) -> bool {
        let (a, b) = (&self.trace.events[x], &self.trace.events[y]);
        let internal = a.thread == b.thread;
        let po = internal && x < y;
        let depends = |on: &BTreeSet<EventId>| on.contains(&EventId(x as u32));
        match base {
            BaseRelation::Po => po,
            BaseRelation::PoLoc => po && self.overlap(x, y),
            BaseRelation::Loc => self.overlap(x, y),
            BaseRelation::Int => internal,
            BaseRelation::Ext => !internal,
            BaseRelation::Id => x == y,
            BaseRelation::Rf => self.reads[y].iter().any(|(_, source)| *source == Some(x)),
            BaseRelation::Co => self.before(x, y),
            BaseRelation::Fr => self.reads[x].iter().any(|(bytes, source)| {
                let touches = self.writes[y].iter().any(|written| meet(bytes, written));
                touches && x != y && source.is_none_or(|source| self.before(source, y))
            }),
            BaseRelation::Addr => self.is_access(y) && depends(&self.runs[y].addr),
            BaseRelation::Data => self.is_store(y) && depends(&self.runs[y].data),
            BaseRelation::Ctrl => self.is_access(y) && depends(&self.runs[y].ctrl),
            BaseRelation::Atom => a.atomic.is_some() && a.atomic == b.atomic,
            BaseRelation::Op => internal && self.calls[x] == self.calls[y],
            BaseRelation::Start => self.starts(x, y),
        }
    }

    /// Whether the thread of `y` was started after `x`, by the thread of `x`.
    pub(crate) fn starts(&self, x: usize, y: usize) -> bool {
        // Also by a thread that was started by it, and so on.
        let mut thread = self.trace.events[y].thread;
        loop {
            match self.trace.threads[thread].start {
                Start::Begin => return false,
                Start::AfterFirst => return self.trace.events[x].thread == 0 && thread != 0,
                Start::Spawn(spawn) => {
                    let parent = self.trace.event(spawn).thread;
                    if parent == self.trace.events[x].thread && x < spawn.index() {
                        return true;
                    }
                    thread = parent;
                }
            }
        }
    }

    fn member(&self, set: &Set, event: usize) -> bool {
        let (load, store, fence) = match self.trace.events[event].action {
            Action::Load { order, .. } => (Some(order), None, None),
            Action::Store { order, .. } => (None, Some(order), None),
            Action::Fence(fence) => (None, None, Some(fence)),
            // Freeing and taking memory write it, as far as order is concerned.
            Action::Free { .. } => (None, Some(Order::Plain), None),
            Action::Alloc { .. } if self.coherence.contains_key(&event) => (None, Some(Order::Plain), None),
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
                BaseSet::Cas => load.is_some() && self.runs[event].cas,
                BaseSet::G => order == Order::Ghost,
                BaseSet::LL => kinds.load_load,
                BaseSet::LS => kinds.load_store,
                BaseSet::SL => kinds.store_load,
                BaseSet::SS => kinds.store_store,
                BaseSet::Acq => order.acquires() && store.is_none(),
                BaseSet::Rel => order.releases() && load.is_none(),
                BaseSet::Sc => order == Order::SeqCst,
                BaseSet::Atomic => access.is_some_and(|order| !matches!(order, Order::Plain | Order::Ghost)),
            },
        }
    }
}

/// Where the life of an object is kept: beyond all addresses.
fn life_of(base: u64) -> Range<u64> {
    base | 1 << 40..(base | 1 << 40) + 1
}

fn meet(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
