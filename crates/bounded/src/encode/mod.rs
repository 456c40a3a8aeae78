//! From an unrolled program and a memory model to clauses whose solutions are the executions
//! (CheckFence, Section 3.2.1).
//!
//! [`threads`] encodes what each thread computes from what its loads read, [`memory`] what loads may
//! read, [`relations`] and [`graph`] what the model requires of that. The model is text; nothing here
//! knows any model by name.

mod dependencies;
mod graph;
mod memory;
mod observe;
mod relations;
mod threads;

use crate::circuit::{Circuit, Lit};
use crate::guard::Guard;
use crate::range::Ranges;
use crate::solver::{Budget, Exhausted, Solver};
use crate::unroll::{EventKind, StopKind, Switch, Unrolled};
use crate::word::Word;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::Program;
use fencepost_models::cat::Model;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub use memory::{Memory, PartId, Source};

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
pub struct Settings {
    /// The shortcuts to take.
    pub shortcuts: Shortcuts,
    /// When to stop.
    pub budget: Budget,
}

/// An encoded program.
pub struct Encoding<'a> {
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
    /// For each event, whether it is executed or is where its thread ends by accessing dead memory.
    pub attempt: Vec<Lit>,
    /// For each event, whether a stop checks its address.
    checked: Vec<bool>,
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
    /// Content of cells when the second thread starts.
    initial: FxHashMap<usize, Rc<Word>>,
    /// Something met that cannot be. What was made of it means nothing, and nothing is concluded from it.
    impossible: Option<&'static str>,
}

/// Encodes a program on a model, unless the budget is used up first.
pub fn encode<'a>(
    program: &'a Program,
    unrolled: Unrolled,
    ranges: Ranges,
    model: &Model,
    solver: Box<dyn Solver>,
    settings: Settings,
) -> Result<Encoding<'a>, Exhausted> {
    let Settings { shortcuts, budget } = settings;
    let events = unrolled.events.len();
    let mut encoding = Encoding {
        circuit: Circuit::new(solver),
        words: vec![None; unrolled.values.len()],
        guards: FxHashMap::default(),
        switches: FxHashMap::default(),
        exec: vec![Lit::FALSE; events],
        attempt: vec![Lit::FALSE; events],
        checked: vec![false; events],
        lives: FxHashMap::default(),
        at: vec![Vec::new(); events],
        fired: Vec::new(),
        finished: Vec::new(),
        memory: Memory::classify(&unrolled, &ranges, shortcuts),
        initial: FxHashMap::default(),
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
    encoding.encode_model(model);
    encoding.complete_words();
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
    pub fn sound(&self) -> Result<(), Reason> {
        match self.impossible {
            Some(what) => Err(Reason::Internal(format!("the encoding met {what}"))),
            None => Ok(()),
        }
    }

    /// Every thread reaches its end.
    pub fn complete(&mut self) -> Lit {
        let finished = self.finished.clone();
        self.circuit.and_all(&finished)
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
    pub fn stops(&self, which: impl Fn(&StopKind) -> bool) -> Vec<(usize, usize, Lit)> {
        let mut found = Vec::new();
        for (thread, code) in self.unrolled.threads.iter().enumerate() {
            for (index, stop) in code.stops.iter().enumerate() {
                let fired = self.fired[thread][index];
                if which(&stop.kind) && fired != Lit::FALSE {
                    found.push((thread, index, fired));
                }
            }
        }
        found
    }
}
