//! Stronger orders on C11 accesses, instead of fences.
//!
//! A release fence in front of a relaxed store does more than a releasing store: it orders all stores behind it.
//! Where that is more than is needed, the store can release by itself, which reads better and costs less on many
//! machines. Here are the accesses for which that may be, by where they stand; whether it is enough, a check tells.

use crate::text;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Order, Program, Slot, Stmt, StmtKind};
use fencepost_lsl::source::{FileId, Span};
use std::collections::BTreeMap;

/// An access that gets a stronger order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stronger {
    /// The access.
    pub access: Span,
    /// The name of its order, in the text.
    pub at: Span,
    /// The order that it gets.
    pub order: Order,
    /// How the names of orders begin there.
    prefix: &'static str,
}

impl Stronger {
    /// The name that it gets.
    pub fn name(&self) -> String {
        spelled(self.prefix, self.order)
    }
}

/// Adds accesses to others, of which they may be some already.
pub fn add(all: &mut Vec<Stronger>, more: &[Stronger]) {
    for stronger in more {
        match all.iter_mut().find(|known| known.at == stronger.at) {
            Some(known) => known.order = joined(known.order, stronger.order),
            None => all.push(stronger.clone()),
        }
    }
}

/// An atomic access of the text.
#[derive(Clone, Copy, Default)]
struct Access {
    loads: bool,
    stores: bool,
    order: Order,
}

/// Which accesses around a slot could have stronger orders instead of a fence of this kind in it: one way or
/// another, those that change least first.
pub fn instead(program: &Program, slot: &Slot, kind: FenceKind) -> Vec<Vec<Stronger>> {
    let accesses = accesses(program, slot);
    let before = |wanted: &dyn Fn(&Access) -> bool, order: Order| {
        let mut earlier = accesses.iter().rev().filter(|(start, _)| **start < slot.at.start);
        let (_, (span, access)) = earlier.find(|(_, (_, access))| wanted(access))?;
        stronger(program, *span, *access, order)
    };
    let behind = |wanted: &dyn Fn(&Access) -> bool, order: Order| {
        let mut later = accesses.iter().filter(|(start, _)| **start >= slot.at.start);
        let (_, (span, access)) = later.find(|(_, (_, access))| wanted(access))?;
        stronger(program, *span, *access, order)
    };
    let acquired = || before(&|access| access.loads, Order::Acquire);
    let released = || behind(&|access| access.stores, Order::Release);
    let one = |stronger: Option<Stronger>| stronger.map(|stronger| vec![stronger]);
    let two = |first: Option<Stronger>, second: Option<Stronger>| Some(vec![first?, second?]);
    let ways = match kind.fence().order {
        Order::Acquire | Order::AcquirePc => vec![one(acquired())],
        Order::Release => vec![one(released())],
        Order::AcqRel => vec![one(acquired()), one(released()), two(acquired(), released())],
        // In C11, only accesses that are both seq_cst are kept in order.
        Order::SeqCst => vec![two(
            before(&|access| access.stores, Order::SeqCst),
            behind(&|access| access.loads, Order::SeqCst),
        )],
        Order::Plain | Order::Relaxed | Order::Ghost => Vec::new(),
    };
    ways.into_iter().flatten().collect()
}

/// The atomic accesses of the slot's function, by where they begin.
fn accesses(program: &Program, slot: &Slot) -> BTreeMap<u32, (Span, Access)> {
    let mut found = BTreeMap::new();
    for proc in program.procs.iter().filter(|proc| proc.name == slot.function) {
        collect(&proc.body, slot.at.file, &mut found);
    }
    found
}

fn collect(body: &[Stmt], file: FileId, found: &mut BTreeMap<u32, (Span, Access)>) {
    for Stmt { kind, span } in body {
        let (load, order) = match kind {
            StmtKind::Load { order, .. } => (true, *order),
            StmtKind::Store { order, .. } => (false, *order),
            StmtKind::Block { body, .. } | StmtKind::Atomic(body) => {
                collect(body, file, found);
                continue;
            }
            _ => continue,
        };
        if span.file == file && !matches!(order, Order::Plain | Order::Ghost) {
            let (_, access) = found.entry(span.start).or_insert((*span, Access::default()));
            access.loads |= load;
            access.stores |= !load;
            access.order = joined(access.order, order);
        }
    }
}

/// The weakest order that does what both do.
fn joined(a: Order, b: Order) -> Order {
    match (a, b) {
        (Order::SeqCst, _) | (_, Order::SeqCst) => Order::SeqCst,
        _ => match (a.acquires() || b.acquires(), a.releases() || b.releases()) {
            (true, true) => Order::AcqRel,
            (true, false) => Order::Acquire,
            (false, true) => Order::Release,
            (false, false) => Order::Relaxed,
        },
    }
}

/// The access with an order that also does what `order` does; none if it does so already, or if its text does not
/// name an order.
fn stronger(program: &Program, span: Span, access: Access, order: Order) -> Option<Stronger> {
    let wanted = joined(access.order, order);
    if wanted == access.order {
        return None;
    }
    let code = text::code(&program.sources.file(span.file).text[span.start as usize..span.end as usize]);
    let (function, arguments) = text::call(&code)?;
    let (_, operation) =
        function.split_once("atomic_").filter(|(before, _)| before.trim_matches('_').is_empty())?;
    // What a compare-and-swap does if it fails is named last.
    let nth = if operation.starts_with("compare_exchange") { 2 } else { 1 };
    let &(at, name) = arguments.get(arguments.len().checked_sub(nth)?)?;
    let prefix = if name.starts_with("__") { "__ATOMIC_" } else { "memory_order_" };
    let named = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst]
        .into_iter()
        .find(|order| name == spelled(prefix, *order))?;
    if joined(named, access.order) != access.order {
        return None;
    }
    let start = span.start + at as u32;
    let at = Span::new(span.file, start, start + name.len() as u32);
    Some(Stronger { access: span, at, order: wanted, prefix })
}

fn spelled(prefix: &str, order: Order) -> String {
    let name = match order {
        Order::Acquire | Order::AcquirePc => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
        Order::Plain | Order::Relaxed | Order::Ghost => "relaxed",
    };
    match prefix {
        "__ATOMIC_" => format!("{prefix}{}", name.to_uppercase()),
        _ => format!("{prefix}{name}"),
    }
}
