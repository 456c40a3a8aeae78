//! The relations of a model as literals: for each pair of events, when the pair is related.
//!
//! An entry is to be read *given that both events are executed*; an event in the middle of a sequence adds the
//! condition that it is executed, too. So program order is all constants, and most of what fences order is too.

use super::dependencies::Dependencies;
use super::{Encoding, Memory};
use crate::circuit::Lit;
use crate::unroll::{Event, EventKind, Start};
use fencepost_lsl::program::{Fence, Order};
use fencepost_models::cat::{BaseRelation, BaseSet, Relation, Set};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Related pairs of nodes; those left out are not related.
pub(super) type Entries = FxHashMap<(u32, u32), Lit>;

/// Evaluates the expressions of a model over the events of an encoding.
pub(super) struct Relations<'e, 'a> {
    pub(super) encoding: &'e mut Encoding<'a>,
    /// The events that relations are over; nodes are indices here.
    pub(super) events: Vec<usize>,
    node_of: FxHashMap<usize, u32>,
    dependencies: Option<Dependencies>,
    /// Results for base relations.
    bases: FxHashMap<BaseRelation, Rc<Entries>>,
    /// Results for others, by the address of the expression, which lives as long as the model.
    memo: FxHashMap<*const Relation, Rc<Entries>>,
    /// For each node, whether it is in a set, by the address of the expression.
    sets: FxHashMap<*const Set, Rc<Vec<Lit>>>,
}

impl<'e, 'a> Relations<'e, 'a> {
    pub(super) fn new(encoding: &'e mut Encoding<'a>) -> Relations<'e, 'a> {
        let relevant = |&event: &usize| {
            let plan = &encoding.ranges.plans[event];
            let fence = matches!(encoding.unrolled.events[event].kind, EventKind::Fence(_));
            let memory = !plan.reads.is_empty() || !plan.writes.is_empty();
            let possible = !encoding.unrolled.events[event].solo && encoding.exec[event] != Lit::FALSE;
            (memory || fence) && possible
        };
        let events: Vec<usize> = (0..encoding.unrolled.events.len()).filter(relevant).collect();
        let node_of = events.iter().enumerate().map(|(node, &event)| (event, node as u32)).collect();
        Relations {
            encoding,
            events,
            node_of,
            dependencies: None,
            bases: FxHashMap::default(),
            memo: FxHashMap::default(),
            sets: FxHashMap::default(),
        }
    }

    pub(super) fn exec(&self, node: u32) -> Lit {
        self.encoding.exec[self.events[node as usize]]
    }

    /// All related pairs.
    pub(super) fn eval(&mut self, relation: &Relation) -> Rc<Entries> {
        if let Relation::Base(base) = relation {
            if let Some(known) = self.bases.get(base) {
                return known.clone();
            }
            let entries = Rc::new(self.base(*base));
            self.bases.insert(*base, entries.clone());
            return entries;
        }
        let key = std::ptr::from_ref(relation);
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        if self.encoding.exhausted.is_some() {
            return Rc::default();
        }
        let entries = Rc::new(self.compute(relation));
        self.memo.insert(key, entries.clone());
        entries
    }

    fn compute(&mut self, relation: &Relation) -> Entries {
        match relation {
            Relation::Empty => Entries::default(),
            Relation::Base(base) => self.base(*base),
            Relation::Union(a, b) => {
                let (a, b) = (self.eval(a), self.eval(b));
                let mut entries = (*a).clone();
                for (&pair, &lit) in b.iter() {
                    if self.encoding.tired() {
                        break;
                    }
                    self.add(&mut entries, pair, lit);
                }
                entries
            }
            Relation::Inter(a, b) if is_pointwise(b) => self.keep(a, b, true),
            Relation::Inter(a, b) => self.keep(b, a, true),
            Relation::Diff(a, b) => self.keep(a, b, false),
            Relation::Seq(a, b) => self.sequence(a, b),
            Relation::Inverse(r) => self.eval(r).iter().map(|(&(x, y), &lit)| ((y, x), lit)).collect(),
            Relation::Optional(r) => {
                let mut entries = (*self.eval(r)).clone();
                entries.extend((0..self.events.len() as u32).map(|node| ((node, node), Lit::TRUE)));
                entries
            }
            Relation::Plus(r) => self.closure(r),
            Relation::Identity(set) => {
                let members = self.members(set);
                members.into_iter().map(|(node, lit)| ((node, node), lit)).collect()
            }
            Relation::Product(a, b) => {
                let (a, b) = (self.members(a), self.members(b));
                let mut entries = Entries::default();
                for &(x, first) in &a {
                    for &(y, second) in &b {
                        entries.insert((x, y), self.encoding.circuit.and(first, second));
                    }
                }
                entries
            }
            Relation::Recursive(..) | Relation::Variable(..) => {
                self.encoding.impossible("a recursive relation where one is encoded");
                Entries::default()
            }
        }
    }

    fn add(&mut self, entries: &mut Entries, pair: (u32, u32), lit: Lit) {
        if lit == Lit::FALSE {
            return;
        }
        let before = entries.get(&pair).copied().unwrap_or(Lit::FALSE);
        let joined = self.encoding.circuit.or(before, lit);
        entries.insert(pair, joined);
    }

    /// Pairs of `a` that are (or are not) related by `b`.
    fn keep(&mut self, a: &Relation, b: &Relation, wanted: bool) -> Entries {
        let entries = self.eval(a);
        let others = (!is_pointwise(b)).then(|| self.eval(b));
        let mut kept = Entries::default();
        for (&(x, y), &lit) in entries.iter() {
            if self.encoding.tired() {
                break;
            }
            let holds = match &others {
                Some(others) => others.get(&(x, y)).copied().unwrap_or(Lit::FALSE),
                None => self.holds(b, x, y),
            };
            let lit = self.encoding.circuit.and(lit, if wanted { holds } else { !holds });
            if lit != Lit::FALSE {
                kept.insert((x, y), lit);
            }
        }
        kept
    }

    fn sequence(&mut self, a: &Relation, b: &Relation) -> Entries {
        if let Relation::Identity(set) = a {
            let entries = self.eval(b);
            return self.restricted(&entries, set, |(x, _)| x);
        }
        if let Relation::Identity(set) = b {
            let entries = self.eval(a);
            return self.restricted(&entries, set, |(_, y)| y);
        }
        let first = self.eval(a);
        if first.is_empty() {
            return Entries::default();
        }
        let second = self.eval(b);
        self.compose(&first, &second)
    }

    /// Pairs of which one end is in a set.
    fn restricted(&mut self, entries: &Entries, set: &Set, end: impl Fn((u32, u32)) -> u32) -> Entries {
        let members = self.membership(set);
        let mut kept = Entries::default();
        for (&pair, &lit) in entries {
            let lit = self.encoding.circuit.and(lit, members[end(pair) as usize]);
            if lit != Lit::FALSE {
                kept.insert(pair, lit);
            }
        }
        kept
    }

    fn compose(&mut self, first: &Entries, second: &Entries) -> Entries {
        let mut rows: FxHashMap<u32, Vec<(u32, Lit)>> = FxHashMap::default();
        for (&(x, y), &lit) in second {
            rows.entry(x).or_default().push((y, lit));
        }
        let mut entries = Entries::default();
        for (&(x, middle), &lit) in first {
            if self.encoding.tired() {
                break;
            }
            for &(y, other) in rows.get(&middle).map_or(&[][..], |row| row) {
                if entries.get(&(x, y)) == Some(&Lit::TRUE) {
                    continue;
                }
                let passed = self.passed(x, middle, y);
                let lit = self.encoding.circuit.and_all(&[lit, other, passed]);
                self.add(&mut entries, (x, y), lit);
            }
        }
        entries
    }

    /// When an event between two executed ones is executed too: surely, if its guard follows from that of
    /// a later one of its thread and nothing but the guard decides.
    fn passed(&mut self, x: u32, middle: u32, y: u32) -> Lit {
        let event = self.events[middle as usize];
        for end in [x, y] {
            let end = self.events[end as usize];
            let unrolled = &mut self.encoding.unrolled;
            let later = end == event || unrolled.program_order(event, end);
            let (a, b) = (unrolled.events[end].guard, unrolled.events[event].guard);
            if later && unrolled.values.guards.implies(a, b) {
                let switch = unrolled.events[event].switch;
                return switch.map_or(Lit::TRUE, |switch| self.encoding.switch(switch));
            }
        }
        self.encoding.exec[event]
    }

    fn closure(&mut self, relation: &Relation) -> Entries {
        let mut entries = (*self.eval(relation)).clone();
        let mut length = 1;
        while length < self.events.len() {
            let twice = self.compose(&entries, &entries);
            for (pair, lit) in twice {
                self.add(&mut entries, pair, lit);
            }
            length *= 2;
        }
        entries
    }

    /// When a pair is related by a relation that can be asked pair by pair.
    pub(super) fn holds(&mut self, relation: &Relation, x: u32, y: u32) -> Lit {
        let (a, b) = (self.events[x as usize], self.events[y as usize]);
        let unrolled = &self.encoding.unrolled;
        let (event_a, event_b) = (&unrolled.events[a], &unrolled.events[b]);
        let same_thread = event_a.thread == event_b.thread;
        Lit::constant(match relation {
            Relation::Empty => false,
            Relation::Base(BaseRelation::Po) => unrolled.program_order(a, b),
            Relation::Base(BaseRelation::PoLoc) => {
                return if unrolled.program_order(a, b) { self.location(x, y) } else { Lit::FALSE };
            }
            Relation::Base(BaseRelation::Loc) => return self.location(x, y),
            Relation::Base(BaseRelation::Int) => same_thread,
            Relation::Base(BaseRelation::Ext) => !same_thread,
            Relation::Base(BaseRelation::Id) => x == y,
            Relation::Base(BaseRelation::Atom) => {
                event_a.atomic.is_some() && event_a.atomic == event_b.atomic
            }
            Relation::Base(BaseRelation::Op) => same_thread && event_a.call == event_b.call,
            Relation::Base(BaseRelation::Rmw) => {
                // Its load is the last one in front of its store.
                let modifies = event_b.is_store() && event_b.exchange.modifies && a < b;
                let between = &unrolled.events[a.min(b)..b];
                let own = |event: &Event| event.atomic == event_b.atomic;
                modifies && between.iter().rposition(Event::is_load) == Some(0) && between.iter().all(own)
            }
            Relation::Base(BaseRelation::Siblings) => {
                let both = event_a.is_load() && event_b.is_load();
                return if both { self.encoding.siblings(a, b) } else { Lit::FALSE };
            }
            Relation::Product(s, t) => {
                let (first, second) = (self.membership(s)[x as usize], self.membership(t)[y as usize]);
                return self.encoding.circuit.and(first, second);
            }
            Relation::Identity(set) if x == y => return self.membership(set)[x as usize],
            Relation::Identity(_) => false,
            Relation::Optional(r) => {
                let holds = self.holds(r, x, y);
                return if x == y { Lit::TRUE } else { holds };
            }
            Relation::Inverse(r) => return self.holds(r, y, x),
            Relation::Union(r, s) => {
                let (r, s) = (self.holds(r, x, y), self.holds(s, x, y));
                return self.encoding.circuit.or(r, s);
            }
            Relation::Inter(r, s) => {
                let (r, s) = (self.holds(r, x, y), self.holds(s, x, y));
                return self.encoding.circuit.and(r, s);
            }
            Relation::Diff(r, s) => {
                let (r, s) = (self.holds(r, x, y), self.holds(s, x, y));
                return self.encoding.circuit.and(r, !s);
            }
            Relation::Base(_)
            | Relation::Seq(..)
            | Relation::Plus(_)
            | Relation::Recursive(..)
            | Relation::Variable(..) => {
                return self.eval(relation).get(&(x, y)).copied().unwrap_or(Lit::FALSE);
            }
        })
    }

    fn location(&mut self, x: u32, y: u32) -> Lit {
        self.encoding.same(self.events[x as usize], self.events[y as usize])
    }

    fn members(&mut self, set: &Set) -> Vec<(u32, Lit)> {
        let lits = self.membership(set);
        let nodes = (0..self.events.len() as u32).zip(lits.iter().copied());
        nodes.filter(|(_, lit)| *lit != Lit::FALSE).collect()
    }

    /// For each node, when it is in a set.
    pub(super) fn membership(&mut self, set: &Set) -> Rc<Vec<Lit>> {
        let key = std::ptr::from_ref(set);
        if let Some(known) = self.sets.get(&key) {
            return known.clone();
        }
        let nodes = self.events.len();
        let lits: Vec<Lit> = match set {
            Set::Base(base) => (0..nodes as u32).map(|node| self.is_in(*base, node)).collect(),
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                let (a, b) = (self.membership(a), self.membership(b));
                let circuit = &mut self.encoding.circuit;
                let pairs = a.iter().zip(b.iter());
                match set {
                    Set::Union(..) => pairs.map(|(&a, &b)| circuit.or(a, b)).collect(),
                    Set::Inter(..) => pairs.map(|(&a, &b)| circuit.and(a, b)).collect(),
                    _ => pairs.map(|(&a, &b)| circuit.and(a, !b)).collect(),
                }
            }
            Set::Domain(r) => self.ends(r, |(x, y)| (x, y)),
            Set::Range(r) => self.ends(r, |(x, y)| (y, x)),
        };
        let lits = Rc::new(lits);
        self.sets.insert(key, lits.clone());
        lits
    }

    /// For each node, when a relation has it as that end.
    fn ends(&mut self, relation: &Relation, end: impl Fn((u32, u32)) -> (u32, u32)) -> Vec<Lit> {
        let mut lits = vec![Lit::FALSE; self.events.len()];
        for (&pair, &lit) in self.eval(relation).iter() {
            let (node, other) = end(pair);
            let exec = self.exec(other);
            let lit = self.encoding.circuit.and(lit, exec);
            lits[node as usize] = self.encoding.circuit.or(lits[node as usize], lit);
        }
        lits
    }

    /// When a node is in a base set. Where a compare-and-swap fails, its load may have another order.
    fn is_in(&mut self, base: BaseSet, node: u32) -> Lit {
        let event = self.events[node as usize];
        let kind = &self.encoding.unrolled.events[event].kind;
        let &EventKind::Load { order, failing: Some(failing), .. } = kind else {
            return Lit::constant(self.is_in_with(base, node, kind.order()));
        };
        match (self.is_in_with(base, node, order), self.is_in_with(base, node, failing)) {
            (true, true) => Lit::TRUE,
            (false, false) => Lit::FALSE,
            (if_swaps, _) => {
                let swaps = self.swaps(event);
                if if_swaps { swaps } else { !swaps }
            }
        }
    }

    /// When the compare-and-swap of a load stores.
    fn swaps(&mut self, load: usize) -> Lit {
        let events = &self.encoding.unrolled.events;
        let block = events[load].atomic;
        let own = events[load + 1..].iter().take_while(|event| event.atomic == block);
        let stores: Vec<Lit> = own
            .zip(&self.encoding.exec[load + 1..])
            .filter(|(event, _)| event.is_store())
            .map(|(_, exec)| *exec)
            .collect();
        self.encoding.circuit.or_all(&stores)
    }

    /// Whether a node is in a base set, if its order is this one.
    fn is_in_with(&self, base: BaseSet, node: u32, order: Order) -> bool {
        let event = &self.encoding.unrolled.events[self.events[node as usize]];
        let (load, fence) = match event.kind {
            EventKind::Load { .. } => (true, None),
            EventKind::Fence(fence) => (false, Some(fence)),
            // Freeing and taking memory write it, as far as order is concerned.
            _ => (false, None),
        };
        let access = fence.is_none();
        let store = access && !load;
        let fence = fence.unwrap_or(Fence::NONE);
        match base {
            BaseSet::All => true,
            BaseSet::R => load,
            BaseSet::W => store,
            BaseSet::M => access,
            BaseSet::F => !access,
            BaseSet::InBlock => access && event.atomic.is_some(),
            BaseSet::Larger => access && event.exchange.larger,
            BaseSet::Rmw => access && event.exchange.modifies,
            BaseSet::Cas => load && event.exchange.compares,
            BaseSet::G => order == Order::Ghost,
            BaseSet::LL => fence.load_load,
            BaseSet::LS => fence.load_store,
            BaseSet::SL => fence.store_load,
            BaseSet::SS => fence.store_store,
            BaseSet::Isync => fence.instructions,
            BaseSet::Acq => order.acquires() && !store,
            BaseSet::AcqPc => order == Order::AcquirePc,
            BaseSet::Rel => order.releases() && !load,
            BaseSet::Sc => order == Order::SeqCst,
            BaseSet::Atomic => access && !matches!(order, Order::Plain | Order::Ghost),
        }
    }

    fn base(&mut self, base: BaseRelation) -> Entries {
        match base {
            BaseRelation::Rf => self.reads_from(),
            BaseRelation::Co => self.known(|memory| &memory.co),
            BaseRelation::Fr => self.known(|memory| &memory.fr),
            BaseRelation::Addr => self.dependency(|found| &found.addr),
            BaseRelation::Data => self.dependency(|found| &found.data),
            BaseRelation::Ctrl => self.dependency(|found| &found.ctrl),
            BaseRelation::Start => self.starts(),
            _ => {
                let mut entries = Entries::default();
                for x in 0..self.events.len() as u32 {
                    for y in self.candidates(base, x) {
                        if self.encoding.tired() {
                            return entries;
                        }
                        let lit = self.holds(&Relation::Base(base), x, y);
                        if lit != Lit::FALSE {
                            entries.insert((x, y), lit);
                        }
                    }
                }
                entries
            }
        }
    }

    /// Nodes that a relation between locations, or any other, may relate a node to.
    fn candidates(&self, base: BaseRelation, x: u32) -> Vec<u32> {
        match base {
            BaseRelation::Loc | BaseRelation::PoLoc => {
                let encoding = &*self.encoding;
                let near = encoding.memory.neighbours(self.events[x as usize], &encoding.ranges);
                near.iter().filter_map(|event| self.node_of.get(event).copied()).collect()
            }
            _ => (0..self.events.len() as u32).collect(),
        }
    }

    fn known(&self, of: impl Fn(&Memory) -> &FxHashMap<(usize, usize), Lit>) -> Entries {
        let node = |event: &usize| self.node_of.get(event).copied();
        of(&self.encoding.memory)
            .iter()
            .filter_map(|((a, b), &lit)| Some(((node(a)?, node(b)?), lit)))
            .filter(|(_, lit)| *lit != Lit::FALSE)
            .collect()
    }

    fn reads_from(&mut self) -> Entries {
        let mut pairs: Vec<(usize, usize, Lit)> = Vec::new();
        for (&(event, _), sources) in &self.encoding.memory.sources {
            for source in sources {
                pairs.extend(source.write.map(|(writer, _)| (writer, event, source.lit)));
            }
        }
        for &event in &self.events {
            pairs.extend(self.encoding.local_sources(event));
        }
        let mut entries = Entries::default();
        for (store, load, lit) in pairs {
            if let (Some(&x), Some(&y)) = (self.node_of.get(&store), self.node_of.get(&load)) {
                self.add(&mut entries, (x, y), lit);
            }
        }
        entries
    }

    fn dependency(&mut self, of: impl Fn(&Dependencies) -> &Vec<(usize, usize, Lit)>) -> Entries {
        if self.dependencies.is_none() {
            self.dependencies = Some(self.encoding.dependencies());
        }
        let list = self.dependencies.as_ref().map(&of).cloned().unwrap_or_default();
        let mut entries = Entries::default();
        for (load, event, lit) in list {
            if let (Some(&x), Some(&y)) = (self.node_of.get(&load), self.node_of.get(&event)) {
                self.add(&mut entries, (x, y), lit);
            }
        }
        entries
    }

    /// What a thread did before it started another, to all that the other and those it starts in turn do.
    fn starts(&mut self) -> Entries {
        let mut entries = Entries::default();
        let unrolled = &self.encoding.unrolled;
        for (y, &later) in self.events.iter().enumerate() {
            let mut thread = unrolled.events[later].thread;
            while let Start::Spawn(spawn) = unrolled.threads[thread].start {
                thread = unrolled.events[spawn].thread;
                for (x, &earlier) in self.events.iter().enumerate() {
                    if unrolled.events[earlier].thread == thread && earlier < spawn {
                        entries.insert((x as u32, y as u32), Lit::TRUE);
                    }
                }
            }
        }
        entries
    }
}

/// Whether a relation can be asked pair by pair, without computing all of it.
pub(super) fn is_pointwise(relation: &Relation) -> bool {
    match relation {
        Relation::Base(base) => !matches!(
            base,
            BaseRelation::Rf
                | BaseRelation::Co
                | BaseRelation::Fr
                | BaseRelation::Addr
                | BaseRelation::Data
                | BaseRelation::Ctrl
                | BaseRelation::Start
        ),
        Relation::Empty => true,
        Relation::Product(a, b) => is_static(a) && is_static(b),
        Relation::Identity(set) => is_static(set),
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) => {
            is_pointwise(a) && is_pointwise(b)
        }
        Relation::Inverse(r) | Relation::Optional(r) => is_pointwise(r),
        Relation::Seq(..) | Relation::Plus(_) | Relation::Recursive(..) | Relation::Variable(..) => false,
    }
}

/// Whether a set does not depend on relations.
fn is_static(set: &Set) -> bool {
    !set.any_relation(&mut |_| true)
}
