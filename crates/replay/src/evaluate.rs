//! Evaluates a model on one execution, operator by operator, as cat defines them.
//!
//! Relations are over *nodes*: the events that happen once there is a second thread. What comes before is
//! settled in [`crate::sources`].

use crate::Refusal;
use crate::poll::Poll;
use crate::relation::{Bits, Matrix, insert};
use crate::sources::Sequel;
use crate::world::Run;
use fencepost_harness::trace::{Action, Event, EventId, Reordering, Trace};
use fencepost_lsl::program::{Fence, Order};
use fencepost_models::cat::{BaseRelation, BaseSet, Model, Recursion, Relation, Set, Test};
use rustc_hash::FxHashMap;

/// What the relations of recursive definitions are, by group and number.
type Variables = FxHashMap<(u32, usize), Matrix>;

/// An execution: the accesses and fences of a trace.
pub(crate) struct Execution<'t> {
    pub(crate) trace: &'t Trace,
    pub(crate) runs: &'t [Run],
    /// Positions of the stores and frees in coherence, by event.
    pub(crate) coherence: FxHashMap<usize, usize>,
    /// Number of the call each event belongs to, in its thread.
    pub(crate) calls: Vec<usize>,
    /// What events read and write.
    pub(crate) sequel: Sequel,
}

impl<'t> Execution<'t> {
    pub(crate) fn new(trace: &'t Trace, runs: &'t [Run], sequel: Sequel) -> Execution<'t> {
        let coherence = trace.stores.iter().enumerate().map(|(at, id)| (id.index(), at)).collect();
        let mut calls = vec![usize::MAX; trace.events.len()];
        for thread in &trace.threads {
            for (number, call) in thread.calls.iter().enumerate() {
                call.events.clone().for_each(|event| calls[event] = number);
            }
        }
        Execution { trace, runs, coherence, calls, sequel }
    }

    /// Accesses of different threads that memory must have seen in that order because one reads from the
    /// other or is overwritten by it.
    pub(crate) fn communication(&self) -> Matrix {
        let mut all = self.base(BaseRelation::Rf);
        for base in [BaseRelation::Co, BaseRelation::Fr] {
            all = all.combine(&self.base(base), |a, b| a | b);
        }
        all.combine(&self.base(BaseRelation::Int), |a, b| a & !b)
    }

    /// Checks all constraints, of which that on the order of memory, or else the first acyclic one, also keeps the given
    /// pairs in order, each with the atomic blocks that its accesses are in. Returns what that one relates, with all it implies.
    pub(crate) fn check(&self, model: &Model, kept: &[Reordering], poll: &Poll) -> Result<Matrix, Refusal> {
        let first = || model.constraints.iter().position(|constraint| constraint.test == Test::Acyclic);
        let ordering = model.memory_order().or_else(first);
        let mut order = None;
        for (number, constraint) in model.constraints.iter().enumerate() {
            let mut relation = self.relation(&constraint.relation, poll)?;
            if Some(number) == ordering {
                kept.iter().for_each(|pair| self.lift(model, pair.first, pair.overtook, &mut relation));
            }
            let broken = match constraint.test {
                Test::Acyclic => match relation.sort(poll)? {
                    Err(node) => Some(node),
                    Ok(sorted) => {
                        if Some(number) == ordering {
                            order = Some(relation.closure_along(&sorted, poll)?);
                        }
                        None
                    }
                },
                Test::Irreflexive => relation.loops(),
                Test::Empty => relation.any(),
            };
            if let Some(node) = broken {
                let (model, name, event) = (&model.name, &constraint.name, self.sequel.alone + node);
                let why = format!("the model `{model}` forbids it: `{name}` is broken at event {event}");
                return Err(why.into());
            }
        }
        Ok(order.unwrap_or_else(|| Matrix::new(self.size())))
    }

    /// Whether two events break a rule that a model has for programs.
    pub(crate) fn breaks(
        &self,
        model: &Model,
        rule: &str,
        (first, second): (EventId, EventId),
        poll: &Poll,
    ) -> Result<bool, Refusal> {
        let nodes = [first, second].map(|id| id.index().checked_sub(self.sequel.alone));
        let [Some(x), Some(y)] = nodes else { return Ok(false) };
        for flag in model.flags.iter().filter(|flag| flag.name == rule) {
            let relation = self.relation(&flag.relation, poll)?;
            let breaks = match flag.test {
                Test::Empty => relation.get(x, y),
                Test::Irreflexive => x == y && relation.get(x, y),
                Test::Acyclic => relation.closure(poll)?.get(x, x),
            };
            if breaks {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a pair, and all pairs of the same two atomic blocks. What happened before there was a second thread
    /// is in order anyway.
    pub(crate) fn lift(&self, model: &Model, first: EventId, second: EventId, relation: &mut Matrix) {
        // Where a read-modify-write is two accesses, it is no block.
        let pairs = model.mentions(BaseRelation::Rmw);
        let with = |id: EventId| {
            let block =
                self.trace.event(id).atomic.filter(|_| !pairs || self.runs[id.index()].exchange.larger);
            let same = move |&node: &usize| block.is_some() && self.event(node).atomic == block;
            let own = id.index().checked_sub(self.sequel.alone);
            (0..self.size()).filter(same).chain(own).collect::<Vec<_>>()
        };
        let seconds = with(second);
        for x in with(first) {
            seconds.iter().for_each(|&y| relation.set(x, y));
        }
    }

    /// Whether an event is one that memory takes part in: it reads or writes something.
    pub(crate) fn touches_memory(&self, event: usize) -> bool {
        !self.sequel.reads[event].is_empty() || !self.sequel.writes[event].is_empty()
    }

    /// How many nodes there are.
    pub(crate) fn size(&self) -> usize {
        self.trace.events.len() - self.sequel.alone
    }

    /// The event of a node.
    pub(crate) fn event(&self, node: usize) -> &'t Event {
        &self.trace.events[self.sequel.alone + node]
    }

    fn relation(&self, relation: &Relation, poll: &Poll) -> Result<Matrix, Refusal> {
        self.given(relation, &Variables::default(), poll)
    }

    /// A relation, given what the relations are whose recursive definitions are being evaluated.
    fn given(&self, relation: &Relation, known: &Variables, poll: &Poll) -> Result<Matrix, Refusal> {
        poll.ask()?;
        let value = |relation: &Relation| self.given(relation, known, poll);
        let members = |set: &Set| self.members(set, known, poll);
        Ok(match relation {
            Relation::Empty => Matrix::new(self.size()),
            Relation::Base(base) => self.base(*base),
            Relation::Union(a, b) => value(a)?.combine(&value(b)?, |a, b| a | b),
            Relation::Inter(a, b) => value(a)?.combine(&value(b)?, |a, b| a & b),
            Relation::Diff(a, b) => value(a)?.combine(&value(b)?, |a, b| a & !b),
            Relation::Seq(a, b) => match (&**a, &**b) {
                (Relation::Identity(set), _) => value(b)?.from(&members(set)?),
                (_, Relation::Identity(set)) => value(a)?.to(&members(set)?),
                _ => value(a)?.then(&value(b)?, poll)?,
            },
            Relation::Inverse(r) => value(r)?.inverse(),
            Relation::Optional(r) => {
                let mut result = value(r)?;
                (0..self.size()).for_each(|x| result.set(x, x));
                result
            }
            Relation::Plus(r) => value(r)?.closure(poll)?,
            Relation::Identity(set) => {
                let mut result = Matrix::new(self.size());
                (0..self.size()).for_each(|x| result.set(x, x));
                result.from(&members(set)?)
            }
            Relation::Product(a, b) => {
                let (a, b) = (members(a)?, members(b)?);
                let mut result = Matrix::new(self.size());
                (0..self.size()).for_each(|x| result.row_mut(x).copy_from_slice(&b));
                result.from(&a)
            }
            Relation::Recursive(group, index) => self.least(group, known, poll)?.swap_remove(*index),
            Relation::Variable(group, index) => known[&(*group, *index)].clone(),
        })
    }

    /// The least relations that satisfy a group of equations: from nothing, until nothing is added.
    fn least(&self, group: &Recursion, known: &Variables, poll: &Poll) -> Result<Vec<Matrix>, Refusal> {
        let mut found = vec![Matrix::new(self.size()); group.bodies.len()];
        loop {
            let mut known = known.clone();
            known
                .extend(found.iter().cloned().enumerate().map(|(index, matrix)| ((group.id, index), matrix)));
            let bodies = group.bodies.iter();
            let next: Vec<Matrix> =
                bodies.map(|body| self.given(body, &known, poll)).collect::<Result<_, _>>()?;
            if next == found {
                return Ok(found);
            }
            found = next;
        }
    }

    fn members(&self, set: &Set, known: &Variables, poll: &Poll) -> Result<Bits, Refusal> {
        let join =
            |a: Bits, b: Bits, op: fn(u64, u64) -> u64| a.iter().zip(&b).map(|(&a, &b)| op(a, b)).collect();
        let members = |set: &Set| self.members(set, known, poll);
        Ok(match set {
            Set::Union(a, b) => join(members(a)?, members(b)?, |a, b| a | b),
            Set::Inter(a, b) => join(members(a)?, members(b)?, |a, b| a & b),
            Set::Diff(a, b) => join(members(a)?, members(b)?, |a, b| a & !b),
            Set::Domain(r) => self.given(r, known, poll)?.sources(),
            Set::Range(r) => self.given(r, known, poll)?.inverse().sources(),
            Set::Base(base) => {
                let mut bits = vec![0; self.size().div_ceil(64)];
                let all = 0..self.size();
                all.filter(|&node| self.member(*base, node)).for_each(|node| insert(&mut bits, node));
                bits
            }
        })
    }

    /// Whether the atomic block of a load stores.
    fn swaps(&self, load: usize) -> bool {
        let block = self.trace.events[load].atomic;
        let own = self.trace.events[load + 1..].iter().take_while(|event| event.atomic == block);
        own.into_iter().any(|event| matches!(event.action, Action::Store { .. }))
    }

    fn member(&self, base: BaseSet, node: usize) -> bool {
        let (event, index) = (self.event(node), self.sequel.alone + node);
        let (load, store, fence) = match event.action {
            Action::Load { order, .. } => match self.runs[index].failing {
                Some(failing) if !self.swaps(index) => (Some(failing), None, None),
                _ => (Some(order), None, None),
            },
            Action::Store { order, .. } => (None, Some(order), None),
            Action::Fence(fence) => (None, None, Some(fence)),
            // Freeing and taking memory write it, as far as order is concerned.
            Action::Free { .. } => (None, Some(Order::Plain), None),
            Action::Alloc { .. } if self.coherence.contains_key(&index) => (None, Some(Order::Plain), None),
            _ => (None, None, None),
        };
        let kinds = fence.unwrap_or(Fence::NONE);
        let access = load.or(store);
        let order = access.unwrap_or(kinds.order);
        let exchange = self.runs[index].exchange;
        match base {
            BaseSet::All => true,
            BaseSet::R => load.is_some(),
            BaseSet::W => store.is_some(),
            BaseSet::M => access.is_some(),
            BaseSet::F => fence.is_some(),
            BaseSet::InBlock => access.is_some() && event.atomic.is_some(),
            BaseSet::Larger => access.is_some() && exchange.larger,
            BaseSet::Rmw => access.is_some() && exchange.modifies,
            BaseSet::Cas => load.is_some() && exchange.compares,
            BaseSet::G => order == Order::Ghost,
            BaseSet::LL => kinds.load_load,
            BaseSet::LS => kinds.load_store,
            BaseSet::SL => kinds.store_load,
            BaseSet::SS => kinds.store_store,
            BaseSet::Isync => kinds.instructions,
            BaseSet::Acq => order.acquires() && store.is_none(),
            BaseSet::AcqPc => order == Order::AcquirePc,
            BaseSet::Rel => order.releases() && load.is_none(),
            BaseSet::Sc => order == Order::SeqCst,
            BaseSet::Atomic => access.is_some_and(|order| !matches!(order, Order::Plain | Order::Ghost)),
        }
    }
}
