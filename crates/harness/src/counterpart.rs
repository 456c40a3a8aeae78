//! Counterparts: what a pointer of one program stands for in another, so that a reference's results can be compared with
//! those of a file.
//!
//! Addresses say nothing across programs. A variable or function stands for that of the same name; of those that share
//! a name, as static variables of sibling blocks do, the first for the first and so on, if there are as many on both
//! sides. A string literal stands for the one with the same content. Compound literals have neither a name nor a content
//! that would be theirs alone, and stand for nothing.

use fencepost_lsl::program::{Global, Proc, Program, address};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;

/// For each object and function of a program, that of another.
#[derive(Clone, Debug)]
pub struct Counterparts {
    globals: Vec<Pair>,
    /// Functions in their order.
    procs: Vec<Option<usize>>,
}

/// A global: address and size, here and there.
#[derive(Clone, Debug)]
struct Pair {
    here: (u64, u64),
    there: Option<(u64, u64)>,
}

impl Counterparts {
    /// What is said of a pointer that has none.
    pub const MISSING: &str = "a pointer to something that the file does not have, or that has no name";

    /// Finds what there is of `from` in `to`.
    pub fn new(from: &Program, to: &Program) -> Counterparts {
        let room = |global: &Global| (global.addr, global.size);
        let named = ranks(&from.globals, &to.globals, |global| &global.name);
        let there = |(index, global): (usize, &Global)| match kind(global) {
            Kind::Variable => named[index].map(|other| &to.globals[other]),
            Kind::Text => {
                to.globals.iter().find(|other| kind(other) == Kind::Text && same_text(global, other))
            }
            Kind::Compound => None,
        };
        let pairs = from.globals.iter().enumerate();
        Counterparts {
            globals: pairs
                .map(|(index, global)| Pair { here: room(global), there: there((index, global)).map(room) })
                .collect(),
            procs: ranks(&from.procs, &to.procs, |proc: &Proc| &proc.name),
        }
    }

    /// A pointer as one of the other program; none if there is nothing that it could be. Pointers to nothing, and what is
    /// no pointer to anything, stay as they are.
    pub fn of(&self, value: Value) -> Option<Value> {
        let Some(addr) = value.defined() else {
            // Of what is defined of it, nobody can tell where it leads.
            return (value.undef() == u64::MAX).then_some(value);
        };
        if let Some(pair) = self.globals.iter().find(|pair| address::belongs(pair.here, addr)) {
            let moved = pair.there?.0.wrapping_add(addr.wrapping_sub(pair.here.0));
            // The object there may be smaller.
            return pair.there.filter(|room| address::belongs(*room, moved)).map(|_| Value::new(moved));
        }
        let Some(offset) = addr.checked_sub(address::FUNCTIONS) else { return Some(value) };
        let index = usize::try_from(offset / 16).ok();
        let Some(there) = index.and_then(|index| self.procs.get(index)) else { return Some(value) };
        Some(Value::new(address::FUNCTIONS + 16 * (*there)? as u64 + offset % 16))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Variable,
    /// A string literal.
    Text,
    Compound,
}

/// What a global is. Names of literals are made up, and are no names of variables.
fn kind(global: &Global) -> Kind {
    match () {
        () if global.name.starts_with('"') => Kind::Text,
        () if global.name.starts_with("literal@") => Kind::Compound,
        () => Kind::Variable,
    }
}

fn same_text(a: &Global, b: &Global) -> bool {
    (a.size, a.constant, &a.init) == (b.size, b.constant, &b.init)
}

/// For each thing in `from`, the one in `to` that has the same name and the same rank among those of that name; none
/// if there are not as many of that name on both sides.
fn ranks<T>(from: &[T], to: &[T], name: impl Fn(&T) -> &String) -> Vec<Option<usize>> {
    let by_name = |things: &[T]| -> FxHashMap<String, Vec<usize>> {
        let mut places: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, thing) in things.iter().enumerate() {
            places.entry(name(thing).clone()).or_default().push(index);
        }
        places
    };
    let (here, there) = (by_name(from), by_name(to));
    let mut found = vec![None; from.len()];
    for (name, places) in here {
        if let Some(others) = there.get(&name).filter(|others| others.len() == places.len()) {
            for (place, other) in places.into_iter().zip(others) {
                found[place] = Some(*other);
            }
        }
    }
    found
}
