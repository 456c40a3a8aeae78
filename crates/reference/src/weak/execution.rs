//! Executions: the events of all threads with the relations that models speak of, and all of them by trying.
//!
//! Every read gets a source, every variable an order of its writes. All models here have in common that the accesses to one
//! variable behave as on sc, so that this is asked of each variable by itself before they are put together.

use super::Model;
use super::events::{Barrier, Event, Kind, events};
use super::relation::{LIMIT, Relation, Set};
use crate::program::Program;
use crate::runs::Run;

/// An execution. What a variable holds in the beginning comes from no event: who reads it is `fr`-before all its writes.
#[derive(Clone)]
pub(super) struct Execution {
    pub(super) events: Vec<Event>,
    /// Program order, of one thread.
    pub(super) po: Relation,
    /// From what a thread's creators do before they create it to all of it.
    pub(super) start: Relation,
    /// Pairs of accesses to one variable, and of events of one thread.
    pub(super) loc: Relation,
    pub(super) int: Relation,
    pub(super) addr: Relation,
    pub(super) data: Relation,
    /// Also to barriers.
    pub(super) ctrl: Relation,
    /// From the read to the write of a read-modify-write.
    pub(super) rmw: Relation,
    /// Pairs of accesses of one atomic block, each access with itself.
    pub(super) block: Relation,
    pub(super) rf: Relation,
    pub(super) co: Relation,
    pub(super) fr: Relation,
}

impl Execution {
    fn new(model: Model, threads: &[&Run]) -> Execution {
        let events = events(model, threads);
        let size = events.len();
        assert!(size <= LIMIT, "{size} events are more than brute force can take");
        let int = Relation::of(size, |a, b| events[a].thread == events[b].thread);
        let po = int & Relation::of(size, |a, b| a < b);
        let starts = Relation::of(size, |a, b| {
            events[a].kind == Kind::Barrier(Barrier::Start(events[b].thread))
                && events[b].kind == Kind::Barrier(Barrier::Begin)
        });
        let is_access = |event: &Event| !matches!(event.kind, Kind::Barrier(_));
        let block = Relation::of(size, |a, b| {
            int.has(a, b) && events[a].block.is_some() && events[a].block == events[b].block
        });
        let depends = |of: fn(&Event) -> Set| Relation::of(size, |a, b| of(&events[b]) >> a & 1 != 0);
        Execution {
            po,
            start: (po | starts).plus() - po,
            loc: Relation::of(size, |a, b| is_access(&events[a]) && events[a].variable == events[b].variable),
            int,
            addr: depends(|event| event.addr),
            data: depends(|event| event.data),
            ctrl: depends(|event| event.ctrl),
            rmw: Relation::of(size, |a, b| {
                let both = events[a].modify && events[b].modify;
                a + 1 == b && both && events[a].kind == Kind::Read && events[b].kind == Kind::Write
            }) & int,
            block,
            rf: Relation::empty(size),
            co: Relation::empty(size),
            fr: Relation::empty(size),
            events,
        }
    }

    /// The events that a condition holds of.
    pub(super) fn set(&self, holds: impl Fn(&Event) -> bool) -> Set {
        (0..self.events.len())
            .filter(|&event| holds(&self.events[event]))
            .fold(0, |set, event| set | 1 << event)
    }

    pub(super) fn reads(&self) -> Set {
        self.set(|event| event.kind == Kind::Read)
    }

    pub(super) fn writes(&self) -> Set {
        self.set(|event| event.kind == Kind::Write)
    }

    pub(super) fn barriers(&self, barrier: Barrier) -> Set {
        self.set(|event| event.kind == Kind::Barrier(barrier))
    }

    /// Pairs of accesses on either side of a barrier.
    pub(super) fn around(&self, barrier: Barrier) -> Relation {
        let accesses = self.reads() | self.writes();
        self.po.from(accesses).to(self.barriers(barrier)).then(self.po.to(accesses))
    }

    /// Communication.
    pub(super) fn com(&self) -> Relation {
        self.rf | self.co | self.fr
    }

    /// The part of a relation that is between threads, and that within them.
    pub(super) fn external(&self, relation: Relation) -> Relation {
        relation - self.int
    }

    pub(super) fn internal(&self, relation: Relation) -> Relation {
        relation & self.int
    }

    /// Between accesses to one variable.
    pub(super) fn po_loc(&self) -> Relation {
        self.po & self.loc
    }

    /// No write comes between the parts of a read-modify-write.
    pub(super) fn is_atomic(&self) -> bool {
        (self.rmw & self.external(self.fr).then(self.external(self.co))).is_empty()
    }

    /// What leads into or out of an atomic block does so for all of it (Chong, Sorensen and Wickerson, PLDI 2018).
    pub(super) fn stronglift(&self, relation: Relation) -> Relation {
        lift(relation, self.block)
    }

    /// What leads from one atomic block to another does so between all of both.
    pub(super) fn weaklift(&self, relation: Relation) -> Relation {
        let of_blocks = self.set(|event| event.block.is_some());
        lift(relation.from(of_blocks).to(of_blocks), self.block)
    }

    /// Atomic blocks run in order and uninterrupted, as far as a relation can tell.
    pub(super) fn uninterrupted(&self, relation: Relation) -> bool {
        (self.stronglift(relation) | (self.po | relation) & self.block).is_acyclic()
    }
}

/// A relation between whole classes of an equivalence: the part of it that is not within one.
pub(super) fn lift(relation: Relation, classes: Relation) -> Relation {
    classes.optional().then(relation - classes).then(classes.optional())
}

/// Visits the executions of a choice of runs in which each variable alone behaves as on sc, and what they leave in the
/// variables that are observed; stops once that returns true.
pub(super) fn executions(
    program: &Program,
    model: Model,
    threads: &[&Run],
    visit: &mut dyn FnMut(&Execution, Vec<u64>) -> bool,
) -> bool {
    let execution = Execution::new(model, threads);
    // Indexed locations reach one variable further.
    let variables: Vec<Vec<Memory>> =
        (0..=program.variables).map(|variable| memories(&execution, variable)).collect();
    let mut finals = vec![0; variables.len()];
    assemble(&variables, execution, &mut finals, &mut |execution, finals| {
        visit(execution, program.finals.iter().map(|&variable| finals[variable]).collect())
    })
}

/// What happens to one variable.
struct Memory {
    rf: Relation,
    co: Relation,
    fr: Relation,
    /// What it holds in the end.
    last: u64,
}

/// Takes every combination of what may happen to the variables.
fn assemble(
    variables: &[Vec<Memory>],
    execution: Execution,
    finals: &mut Vec<u64>,
    visit: &mut dyn FnMut(&Execution, &[u64]) -> bool,
) -> bool {
    let Some((first, rest)) = variables.split_first() else { return visit(&execution, finals) };
    first.iter().any(|memory| {
        let mut execution = execution.clone();
        execution.rf = execution.rf | memory.rf;
        execution.co = execution.co | memory.co;
        execution.fr = execution.fr | memory.fr;
        let variable = finals.len() - variables.len();
        finals[variable] = memory.last;
        assemble(rest, execution, finals, visit)
    })
}

/// Everything that may happen to a variable.
fn memories(execution: &Execution, variable: usize) -> Vec<Memory> {
    let of = |kind: Kind| -> Vec<usize> {
        let is = |event: &usize| {
            execution.events[*event].kind == kind && execution.events[*event].variable == variable
        };
        (0..execution.events.len()).filter(is).collect()
    };
    let (reads, writes) = (of(Kind::Read), of(Kind::Write));
    let mut found = Vec::new();
    for order in permutations(&writes) {
        for sources in sources(execution, &reads, &writes) {
            found.extend(memory(execution, &order, &reads, &sources));
        }
    }
    found
}

/// All orders of some events.
fn permutations(events: &[usize]) -> Vec<Vec<usize>> {
    if events.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (at, &first) in events.iter().enumerate() {
        let rest = [&events[..at], &events[at + 1..]].concat();
        found.extend(permutations(&rest).into_iter().map(|order| [&[first], &order[..]].concat()));
    }
    found
}

/// All ways to give each read a source with its value; none is the value in the beginning.
fn sources(execution: &Execution, reads: &[usize], writes: &[usize]) -> Vec<Vec<Option<usize>>> {
    let Some((first, rest)) = reads.split_first() else { return vec![Vec::new()] };
    let value = execution.events[*first].value;
    let fitting = writes.iter().filter(|&&write| execution.events[write].value == value);
    let options = fitting.map(|&write| Some(write)).chain((value == 0).then_some(None));
    let rest = sources(execution, rest, writes);
    options.flat_map(|source| rest.iter().map(move |rest| [&[source], &rest[..]].concat())).collect()
}

/// What happens to a variable with its writes in this order and these sources of its reads, if it behaves as on sc.
fn memory(
    execution: &Execution,
    order: &[usize],
    reads: &[usize],
    sources: &[Option<usize>],
) -> Option<Memory> {
    let size = execution.events.len();
    let (mut rf, mut co, mut fr) = (Relation::empty(size), Relation::empty(size), Relation::empty(size));
    for (at, &write) in order.iter().enumerate() {
        order[at + 1..].iter().for_each(|&later| co.add(write, later));
    }
    for (&read, &source) in reads.iter().zip(sources) {
        let after = source.map_or(0, |source| {
            rf.add(source, read);
            order.iter().position(|&write| write == source).expect("it writes the variable") + 1
        });
        order[after..].iter().for_each(|&later| fr.add(read, later));
    }
    let last = order.last().map_or(0, |&write| execution.events[write].value);
    let before = (execution.po | execution.start) & execution.loc;
    (before | rf | co | fr).is_acyclic().then_some(Memory { rf, co, fr, last })
}
