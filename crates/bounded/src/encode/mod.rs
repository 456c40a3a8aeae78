//! From an unrolled program and a memory model to clauses whose solutions are the executions
//! (CheckFence, Section 3.2.1).
//!
//! [`threads`] encodes what each thread computes from what its loads read, [`memory`] what loads may
//! read, [`relations`] and [`graph`] what the model requires of that. The model is text; nothing here
//! knows any model by name.

mod dependencies;
mod derived;
mod graph;
mod memory;
mod moves;
mod observe;
mod relations;
mod threads;

use crate::circuit::{Circuit, Lit};
use crate::guard::Guard;
use crate::range::Ranges;
use crate::range::rooms::Rooms;
use crate::solver::Solver;
use crate::ssa::Values;
use crate::unroll::{EventKind, Restored, Start, Stop, StopKind, Unrolled};
use crate::word::Word;
use fencepost_harness::budget::{Budget, Exhausted};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Program, Switch};
use fencepost_lsl::value::Value;
use fencepost_models::cat::Model;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(crate) use graph::hides_overwritten;
pub(crate) use memory::{Memory, PartId};
pub(crate) use observe::Slots;

/// Which shortcuts the encoding takes. Each can be switched off, to be compared with its absence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortcuts {
    /// Atomic blocks become single nodes of the order.
    pub merge_blocks: bool,
    /// Loads that only their own thread's stores can reach are resolved without the memory model.
    pub resolve_local: bool,
    /// Stores that a later one of the same thread hides are no sources for its loads.
    pub hide_overwritten: bool,
}

impl Default for Shortcuts {
    fn default() -> Shortcuts {
        Shortcuts { merge_blocks: true, resolve_local: true, hide_overwritten: true }
    }
}

/// How to encode.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    /// The shortcuts to take.
    pub shortcuts: Shortcuts,
    /// When to stop.
    pub budget: Budget,
}

/// An encoded program.
pub(crate) struct Encoding<'a> {
    /// The clauses and the solver that holds them.
    pub circuit: Circuit,
    /// The program in straight lines.
    pub unrolled: Unrolled,
    /// What its values may be.
    pub ranges: Rc<Ranges>,
    program: &'a Program,
    shortcuts: Shortcuts,
    budget: Budget,
    /// How often the budget was asked for, and what it said.
    asked: u32,
    exhausted: Option<Exhausted>,
    words: Vec<Option<Rc<Word>>>,
    guards: FxHashMap<Guard, Lit>,
    /// For each switch that an event has, whether it is on.
    pub switches: FxHashMap<Switch, Lit>,
    /// For each event, whether it is executed.
    pub exec: Vec<Lit>,
    /// For each atomic block in which its thread may end, whether it does.
    unfinished: FxHashMap<u32, Lit>,
    /// Accesses that may find their object freed, each with when they do.
    dead: Vec<(usize, Lit)>,
    /// For each event that looks at it, whether the object it accesses is alive.
    pub lives: FxHashMap<usize, Lit>,
    /// For each event, for each target of its plan, whether it goes there.
    pub at: Vec<Vec<Lit>>,
    /// For each thread, for each of its stops, whether it ends the thread.
    pub fired: Vec<Vec<Lit>>,
    /// For each thread, whether it reaches its end.
    pub finished: Vec<Lit>,
    /// What loads may read.
    pub memory: Memory,
    /// Stores of turns that leave memory as it was, each with when others notice.
    seen: Vec<(Restored, Lit)>,
    /// For each silent turn that may go on all the same, for the sake of which accesses, and whether it does.
    left_in: Vec<(Vec<usize>, Lit)>,
    /// Pairs of events that break a rule which the model has for programs, each with the rule and when they do.
    pub(crate) flagged: Vec<(usize, (usize, usize), Lit)>,
    /// Content of cells when the second thread starts.
    initial: FxHashMap<usize, Rc<Word>>,
    /// Which addresses belong together.
    rooms: Rooms,
    /// Something met that cannot be. What was made of it means nothing, and nothing is concluded from it.
    impossible: Option<&'static str>,
}

/// Encodes a program on a model, unless the budget is used up first.
pub(crate) fn encode<'a>(
    program: &'a Program,
    unrolled: Unrolled,
    ranges: Ranges,
    model: &Model,
    solver: Box<dyn Solver>,
    settings: Settings,
) -> Result<Encoding<'a>, Exhausted> {
    let _span = tracing::info_span!("encode", model = model.name, events = unrolled.events.len()).entered();
    let Settings { mut shortcuts, budget } = settings;
    if !graph::hides_overwritten(model) {
        (shortcuts.hide_overwritten, shortcuts.resolve_local) = (false, false);
    }
    let events = unrolled.events.len();
    let mut encoding = Encoding {
        circuit: Circuit::new(solver),
        words: vec![None; unrolled.values.len()],
        guards: FxHashMap::default(),
        switches: FxHashMap::default(),
        exec: vec![Lit::FALSE; events],
        unfinished: FxHashMap::default(),
        dead: Vec::new(),
        lives: FxHashMap::default(),
        at: vec![Vec::new(); events],
        fired: Vec::new(),
        finished: Vec::new(),
        memory: Memory::classify(&unrolled, &ranges, shortcuts),
        seen: Vec::new(),
        left_in: Vec::new(),
        flagged: Vec::new(),
        initial: FxHashMap::default(),
        rooms: Rooms::new(&unrolled),
        impossible: None,
        program,
        unrolled,
        ranges: Rc::new(ranges),
        shortcuts,
        budget,
        asked: 0,
        exhausted: None,
    };
    encoding.encode_threads();
    encoding.encode_memory();
    encoding.encode_seen();
    encoding.encode_model(model);
    encoding.complete_words();
    if encoding.unrolled.values.guards.is_full() {
        return Err(Exhausted::Memory);
    }
    match encoding.exhausted {
        Some(exhausted) => Err(exhausted),
        None => Ok(encoding),
    }
}

impl Encoding<'_> {
    /// Whether the budget is used up: long loops then end early, and the encoding is thrown away.
    fn tired(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(1024) && self.exhausted.is_none() {
            self.exhausted = self.budget.exhausted();
        }
        self.exhausted.is_some()
    }

    /// Notes something that cannot be.
    fn impossible(&mut self, what: &'static str) {
        self.impossible.get_or_insert(what);
    }

    /// An error if something was met that cannot be: no answer about the formula counts then.
    pub(crate) fn sound(&self) -> Result<(), Reason> {
        match self.impossible {
            Some(what) => Err(Reason::Internal(format!("the encoding met {what}"))),
            None => Ok(()),
        }
    }

    /// The execution ends, and no access finds its object freed. That of a test ends when every thread that is started
    /// reaches its end; that of a closed program when `main` does, or when a thread calls `exit`.
    pub(crate) fn complete(&mut self) -> Lit {
        let ends = self.ends();
        let sound = !self.finds_freed();
        self.circuit.and(ends, sound)
    }

    fn ends(&mut self) -> Lit {
        let test = self.unrolled.threads.iter().any(|thread| thread.start == Start::AfterFirst);
        if !test {
            let exits = self.stops_where(|program, values, stop| match stop.kind {
                // What a model header assumes is something to wait for; `exit` waits for nothing that could be.
                StopKind::Assume(cond) => {
                    !program.sources.is_user(stop.span) && values.constant(cond) == Some(Value::ZERO)
                }
                _ => false,
            });
            let exits: Vec<Lit> = exits.into_iter().map(|(_, _, fired)| fired).collect();
            let exits = self.circuit.or_all(&exits);
            let waits = self.waits();
            let ends = self.circuit.and(self.finished[0], waits);
            return self.circuit.or(exits, ends);
        }
        let ends: Vec<Lit> = (0..self.finished.len())
            .map(|thread| {
                let started = self.started(thread);
                self.circuit.or(self.finished[thread], !started)
            })
            .collect();
        self.circuit.and_all(&ends)
    }

    /// No thread comes to an assumption of the user's that does not hold, or is cut short: each that is started reaches
    /// its end or waits for ever.
    pub(crate) fn waits(&mut self) -> Lit {
        let given_up = self.stops_where(|program, _, stop| match stop.kind {
            StopKind::Spin(_) => false,
            // Model headers wait for locks and other threads by assumptions.
            StopKind::Assume(_) => program.sources.is_user(stop.span),
            _ => true,
        });
        let going_on: Vec<Lit> = given_up.into_iter().map(|(_, _, fired)| !fired).collect();
        self.circuit.and_all(&going_on)
    }

    /// Whether a thread is started.
    pub(crate) fn started(&mut self, thread: usize) -> Lit {
        match self.unrolled.threads[thread].start {
            Start::Begin => Lit::TRUE,
            Start::AfterFirst => self.finished[0],
            Start::Spawn(event) => {
                let happened = !self.unfinished(event);
                self.circuit.and(self.exec[event], happened)
            }
        }
    }

    /// In the solution just found, a rule of the model for programs and two events that break it.
    pub(crate) fn is_flagged(&mut self) -> Option<(usize, (usize, usize))> {
        let solver = &mut self.circuit.solver;
        let found = self.flagged.iter().find(|(_, _, lit)| solver.value(*lit));
        found.map(|(rule, pair, _)| (*rule, *pair))
    }

    /// Some access finds its object freed.
    pub(crate) fn finds_freed(&mut self) -> Lit {
        let lits: Vec<Lit> = self.dead.iter().map(|(_, lit)| *lit).collect();
        self.circuit.or_all(&lits)
    }

    /// When the atomic block of an event is one in which its thread ends: such a block has not happened, and
    /// what it stores is seen by the block alone.
    pub(crate) fn unfinished(&self, event: usize) -> Lit {
        let block = self.unrolled.events[event].atomic;
        block.and_then(|block| self.unfinished.get(&block).copied()).unwrap_or(Lit::FALSE)
    }

    /// When an executed write is kept from a reader because its block has not happened.
    fn withheld(&self, writer: usize, reader: usize) -> Lit {
        let (a, b) = (&self.unrolled.events[writer], &self.unrolled.events[reader]);
        if a.atomic == b.atomic { Lit::FALSE } else { self.unfinished(writer) }
    }

    /// Makes the literals of all values that a trace shows, so that a solution can be read as it is.
    fn complete_words(&mut self) {
        let mut values = Vec::new();
        for event in &self.unrolled.events {
            match event.kind {
                EventKind::Load { addr, value, .. } | EventKind::Store { addr, value, .. } => {
                    values.extend([addr, value]);
                }
                EventKind::Free { addr } | EventKind::Alloc { addr, .. } => values.push(addr),
                EventKind::Choose { value } => values.push(value),
                EventKind::Fence(_) | EventKind::Spawn(_) => {}
            }
        }
        for call in self.unrolled.threads.iter().flat_map(|thread| &thread.calls) {
            values.extend(call.args.iter().chain(&call.results));
        }
        for value in values {
            self.word(value);
        }
    }

    /// Stops of a certain kind, as (thread, index, whether it fires); impossible ones left out.
    pub(crate) fn stops(&self, which: impl Fn(&StopKind) -> bool) -> Vec<(usize, usize, Lit)> {
        self.stops_where(|_, _, stop| which(&stop.kind))
    }

    fn stops_where(&self, which: impl Fn(&Program, &Values, &Stop) -> bool) -> Vec<(usize, usize, Lit)> {
        let mut found = Vec::new();
        for (thread, code) in self.unrolled.threads.iter().enumerate() {
            for (index, stop) in code.stops.iter().enumerate() {
                let fired = self.fired[thread][index];
                if fired != Lit::FALSE && which(self.program, &self.unrolled.values, stop) {
                    found.push((thread, index, fired));
                }
            }
        }
        found
    }
}
