//! Schedules: all clients within a scope (COLLECT, Sections 3 and 4).
//!
//! A scope bounds threads, steps, pre-adds and values. Its schedules stand in one fixed order, from few steps
//! to many, and each can be made from its number alone, so that several machines can share them and a run
//! can go on where it ended. The order has three levels: blocks of equal size, which are counted without being
//! listed; skeletons (which methods each thread calls), made one after the other; and arguments, which are
//! counted and numbered.

use crate::client::Client;
use crate::oracle::binding::Binding;
use crate::oracle::role::Role;
use crate::oracle::{Kind, Protocol};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::value::Value;
use std::ops::RangeInclusive;

mod arguments;
mod count;
mod rank;
mod schedules;
mod skeleton;

pub use schedules::Schedules;

/// Steps or pre-adds that a scope may have at most. There is no end to schedules with more, nor to counting them.
const MOST: usize = 10_000;

/// Which schedules to generate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// What steps may call; the first that adds makes the pre-adds, too. Those of a file are
    /// [`Binding::methods`]: all of them, so that no operation goes without a check.
    pub methods: Vec<Method>,
    /// How many threads; each has at least one step.
    pub threads: RangeInclusive<usize>,
    /// How many steps all threads have together.
    pub steps: RangeInclusive<usize>,
    /// How many calls fill the collection before the threads start: with the values 0, 1, …
    pub pre_adds: RangeInclusive<usize>,
    /// Arguments are less than this: elements, keys, items and scores.
    pub values: usize,
    /// Whether items are numbered as they are added instead of tried in all ways.
    ///
    /// Unsound: misses what depends on items being equal.
    pub generic_values: bool,
    /// Whether only schedules count in which all scores differ; they are then 0, 1, … in all orders.
    ///
    /// Unsound: misses what depends on scores being equal.
    pub distinct_priorities: bool,
    /// Whether only schedules count that remove no more often than they add, pre-adds included.
    ///
    /// Unsound: misses what happens only to those who find nothing.
    pub adds_dominate: bool,
    /// Whether of schedules that differ only in the order of threads, one stands for all.
    ///
    /// # Soundness
    ///
    /// Threads have no identity: if no operation asks who calls, exchanging threads exchanges their parts
    /// in every execution, and all properties are blind to that.
    pub thread_symmetry: bool,
}

/// What a step calls: one of the operations that play a role.
///
/// Where each role is played by one operation, methods are roles, and schedules have COLLECT's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Method {
    /// What it does.
    pub role: Role,
    /// Which of the operations that play this role, in the order of the file.
    pub variant: u32,
}

impl Method {
    /// The first operation of a role.
    pub fn first(role: Role) -> Method {
        Method { role, variant: 0 }
    }
}

/// A call of a schedule.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    /// What it calls.
    pub method: Method,
    /// The role's arguments, as numbers 0, 1, …; a binding says which values these are.
    pub args: Vec<Value>,
}

/// A client in terms of roles.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Schedule {
    /// The pre-adds.
    pub initial: Vec<Step>,
    /// The steps of each thread; none is empty.
    pub threads: Vec<Vec<Step>>,
}

impl Schedule {
    /// The client that calls the operations that play the roles; none if one has no operation.
    pub fn client(&self, binding: &Binding) -> Option<Client> {
        let calls =
            |steps: &Vec<Step>| steps.iter().map(|step| binding.call(step.method, &step.args)).collect();
        Some(Client {
            initial: calls(&self.initial)?,
            threads: self.threads.iter().map(calls).collect::<Option<_>>()?,
        })
    }
}

/// A number of things, one or more, with its thousands set apart.
pub fn numbered(of: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(of), if of == 1 { "" } else { "s" })
}

/// A number with its thousands set apart. Counts of schedules end at the largest number, which stands for more.
pub fn number(number: u64) -> String {
    if number == u64::MAX {
        return "more than 10^19".into();
    }
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// The configurations of COLLECT's case study (Table 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Configuration {
    A,
    B,
    C,
    D,
    E,
}

impl Configuration {
    /// All of them, from small to large.
    pub const ALL: [Configuration; 5] =
        [Configuration::A, Configuration::B, Configuration::C, Configuration::D, Configuration::E];
}

impl Scope {
    /// The scope of a configuration of the case study.
    ///
    /// Synchronous collections have no pre-adds, since those would wait for ever, and one step more instead.
    /// The value bound is not in the paper's table; it follows from the numbers of schedules there.
    pub fn of(configuration: Configuration, kind: Kind, protocol: Protocol) -> Scope {
        let (threads, steps, pre_adds, values) = match configuration {
            Configuration::A => (2, 2, 0, 2),
            Configuration::B | Configuration::C => (2, 2, 1, 3),
            Configuration::D => (3, 3, 1, 4),
            Configuration::E => (3, 4, 1, 5),
        };
        let (steps, pre_adds) =
            if protocol == Protocol::Synchronous { (steps + pre_adds, 0) } else { (steps, pre_adds) };
        Scope {
            methods: Role::of(kind).map(Method::first).collect(),
            threads: 1..=threads,
            steps: 1..=steps,
            pre_adds: 0..=pre_adds,
            values,
            generic_values: true,
            distinct_priorities: true,
            adds_dominate: kind == Kind::PriorityQueue,
            thread_symmetry: true,
        }
    }

    /// What it covers, in a line. Bounds that can miss something are named; `more` says how each schedule is explored.
    pub fn show(&self, more: &[String]) -> String {
        let named =
            |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
        let range = |range: &RangeInclusive<usize>, noun: &str| match range.start() == range.end() {
            true => named(*range.start(), noun),
            false => format!("{}..{} {noun}s", range.start(), range.end()),
        };
        let mut parts = vec![
            range(&self.threads, "thread"),
            range(&self.steps, "step"),
            range(&self.pre_adds, "pre-add"),
            named(self.values, "value"),
        ];
        let roles = || self.methods.iter().map(|method| method.role);
        let scores = roles().any(|role| role == Role::Insert);
        let items = roles().any(|role| role.adds() && role != Role::Add);
        let only = [
            (self.generic_values && items, "items numbered as they are added"),
            (self.distinct_priorities && scores, "distinct priorities"),
            (self.adds_dominate, "no more removals than additions"),
            (self.thread_symmetry, "threads in one order"),
        ];
        parts.extend(only.iter().filter(|(wanted, _)| *wanted).map(|(_, what)| (*what).to_owned()));
        parts.extend_from_slice(more);
        parts.join(", ")
    }

    /// How many schedules there are; `u64::MAX` stands for any larger number.
    pub fn count(&self) -> u64 {
        Schedules::new(self.clone()).total()
    }

    /// The methods that no schedule of the scope calls, as far as bounds on additions and removals go.
    pub fn idle(&self) -> Vec<Method> {
        let most = *self.steps.end();
        // A removal must have an addition, before the threads or beside it.
        let removes = *self.pre_adds.end() > 0 && most > 0 || most > 1;
        let idle = |method: &&Method| self.adds_dominate && method.role.removes() && !removes;
        self.methods.iter().filter(idle).copied().collect()
    }

    /// How many keys and how many items schedules of the scope have, for steps and pre-adds of a role.
    pub fn numbers(&self, role: Role) -> (u64, u64) {
        let calls = (*self.pre_adds.end() as u64).saturating_add(*self.steps.end() as u64);
        let keys = if role == Role::Insert && self.distinct_priorities { calls } else { self.values as u64 };
        // Pre-adds are numbered in any case.
        let items = if self.generic_values { calls } else { self.values as u64 };
        let before = *self.pre_adds.end() as u64;
        (keys.max(before), items.max(before))
    }

    /// What makes it useless.
    pub fn problems(&self, protocol: Protocol) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        let mut problem = |when: bool, what: &str, help: &str| {
            if when {
                problems.push(Diagnostic::general(what).help(help));
            }
        };
        let empty = self.threads.is_empty() || self.steps.is_empty() || self.pre_adds.is_empty();
        problem(empty, "a range of the scope is empty", "write the smaller bound first, as in `1..3`");
        let idle = !empty && self.steps.end() < self.threads.start();
        problem(idle, "there are fewer steps than threads", "each thread makes at least one step");
        problem(*self.threads.end() == 0, "there are no threads", "let there be at least one");
        let many = *self.steps.end().max(self.pre_adds.end()) > MOST;
        problem(
            many,
            &format!("a schedule could have more than {MOST} calls"),
            "nobody will see the end of such a sweep: lower --steps and --preadds",
        );
        let adds = *self.pre_adds.end() == 0 || self.methods.iter().any(|method| method.role.adds());
        problem(
            !adds,
            "no operation is known to add something",
            "leave --preadds out, or name the collection with --oracle",
        );
        problem(self.values == 0, "there are no values", "let there be at least one");
        let most = *self.pre_adds.end();
        let waits = match protocol {
            Protocol::Synchronous => most > 0,
            Protocol::Bounded(capacity) => most > capacity,
            Protocol::NonBlocking | Protocol::Limited(_) => false,
        };
        problem(waits, "pre-adds would wait for ever", "nobody removes anything before the threads start");
        problems
    }
}
