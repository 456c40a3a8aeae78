//! Range analysis (CheckFence, Section 3.4): which values each value of the unrolled program may take,
//! and which cells of memory each access may touch.
//!
//! While one thread is alone its stores replace what they overwrite; from then on the analysis is
//! flow-insensitive: a load may read whatever any store may put into a cell it may touch. It is sound for
//! executions in which no value depends on itself; see [`domain`] for how it ends.

pub mod cells;
pub mod domain;

use crate::guard::Guard;
use crate::ssa::{Node, ValId};
use crate::unroll::{EventKind, Object, Unrolled};
use cells::{Cell, Cells};
use domain::{Range, Wide};
use fencepost_lsl::memory;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Choice, Program};
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::FxHashMap;

/// A part of an access: it touches one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Offset in the access.
    pub offset: u64,
    /// Size.
    pub bytes: u64,
}

impl Part {
    /// The type in which its value is kept.
    pub fn ty(self) -> IntTy {
        IntTy::unsigned(8 * self.bytes as u8)
    }
}

/// Where an access may go.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// Its parts; just one for most.
    pub parts: Vec<Part>,
    /// Each good address it may have, with the index of the cell that each part then touches.
    pub targets: Vec<(u64, Vec<usize>)>,
    /// Whether it may have a bad address.
    pub may_miss: bool,
}

/// The outcome of the analysis.
pub struct Ranges {
    /// What each value may be.
    pub values: Vec<Range>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// For each event that is a load or store, where it may go.
    pub plans: Vec<Plan>,
}

impl Ranges {
    /// What a value may be.
    pub fn of(&self, id: ValId) -> &Range {
        &self.values[id.index()]
    }
}

/// Analyses an unrolled program.
pub fn analyse(program: &Program, unrolled: &Unrolled) -> Ranges {
    let contents = unrolled.objects.iter().map(|object| content(program, object)).collect();
    let (creating, limit) = creating_operations(unrolled);
    let mut cells = Cells::default();
    loop {
        let values = vec![Range::default(); unrolled.values.len()];
        let mut analysis = Analysis {
            program,
            unrolled,
            contents: &contents,
            creating: &creating,
            limit,
            values,
            cells,
            done: 0,
        };
        analysis.solo();
        analysis.concurrent();
        analysis.even_out();
        if !analysis.cells.stale {
            return analysis.finish();
        }
        cells = analysis.cells.restart();
    }
}

fn content(program: &Program, object: &Object) -> memory::Object {
    match object.global {
        Some(index) => memory::Object::of_global(&program.globals[index]),
        None => memory::Object::new(object.base, object.size, object.place, object.zeroed, object.layout),
    }
}

/// Which operations create values that lead into stores, and so may come back to them, and how many there
/// are.
fn creating_operations(unrolled: &Unrolled) -> (Vec<bool>, u32) {
    let mut seen = vec![false; unrolled.values.len()];
    let mut creating = vec![false; unrolled.values.len()];
    let mut work: Vec<ValId> = unrolled
        .events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Store { value, .. } => Some(value),
            _ => None,
        })
        .collect();
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match unrolled.values.node(id) {
            Node::Op(op, args) => {
                creating[id.index()] = domain::creates(*op);
                work.extend(args);
            }
            Node::Select(_, yes, no) => work.extend([*yes, *no]),
            Node::Const(_) | Node::Load(_) | Node::Choice(_) => {}
        }
    }
    let count = creating.iter().filter(|creates| **creates).count() as u32;
    (creating, count)
}

struct Analysis<'a> {
    program: &'a Program,
    unrolled: &'a Unrolled,
    /// What objects hold when they come to be.
    contents: &'a Vec<memory::Object>,
    /// The operations that count for `limit`.
    creating: &'a Vec<bool>,
    /// How many of those a value can have been through.
    limit: u32,
    values: Vec<Range>,
    cells: Cells,
    /// Values below this index are computed, in the phase with one thread.
    done: usize,
}

/// Addresses an access may have: good ones, and whether there are others.
struct Addresses {
    good: Vec<u64>,
    others: bool,
}

impl Analysis<'_> {
    /// The phase with one thread: stores replace.
    fn solo(&mut self) {
        for event in self.unrolled.events.iter().filter(|event| event.solo) {
            match event.kind {
                EventKind::Load { addr, ty, value, .. } => {
                    self.compute_up_to(addr);
                    let range = self.read(addr, ty, true);
                    self.set_load(value, range);
                }
                EventKind::Store { addr, ty, value, .. } => {
                    self.compute_up_to(addr.max(value));
                    let addresses = self.addresses(addr, ty, true);
                    let strong = event.guard == Guard::TRUE && addresses.good.len() == 1 && !addresses.others;
                    self.write(&addresses, ty, value, |cell, range| {
                        if strong {
                            cell.initial = range.clone();
                        } else {
                            cell.initial.join(range);
                        }
                    });
                }
                _ => {}
            }
        }
        for cell in self.cells.iter_mut() {
            cell.range = cell.initial.clone();
        }
    }

    /// Sets what a load reads, unless unrolling knew it already.
    fn set_load(&mut self, value: ValId, range: Range) {
        if matches!(self.unrolled.values.node(value), Node::Load(_)) {
            self.values[value.index()] = range;
        }
    }

    fn compute_up_to(&mut self, id: ValId) {
        for index in self.done..=id.index() {
            self.compute(ValId(index as u32));
        }
        self.done = self.done.max(id.index() + 1);
    }

    /// Recomputes a value that is no load; says whether it changed.
    fn compute(&mut self, id: ValId) -> bool {
        let range = match self.unrolled.values.node(id) {
            Node::Load(_) => return false,
            Node::Const(value) => Range::single(*value),
            Node::Choice(number) => match &self.unrolled.values.choices[*number as usize] {
                Choice::OneOf(values) => Range::of(values.iter().copied()),
                Choice::Any(ty) => Range::Wide(Wide::of(*ty)),
            },
            Node::Op(op, args) => {
                let args: Vec<&Range> = args.iter().map(|arg| &self.values[arg.index()]).collect();
                let range = domain::apply(*op, &args);
                if self.creating[id.index()] { range.deepen(self.limit) } else { range }
            }
            Node::Select(_, yes, no) => {
                let mut range = self.values[yes.index()].clone();
                range.join(&self.values[no.index()]);
                range
            }
        };
        let changed = self.values[id.index()] != range;
        self.values[id.index()] = range;
        changed
    }

    /// The phase with all threads: values pile up in cells until nothing changes.
    fn concurrent(&mut self) {
        let mut changed = true;
        while changed && !self.cells.stale {
            changed = false;
            for index in 0..self.values.len() {
                let id = ValId(index as u32);
                match self.unrolled.values.node(id) {
                    Node::Load(event) if !self.unrolled.events[*event as usize].solo => {
                        let EventKind::Load { addr, ty, .. } = self.unrolled.events[*event as usize].kind
                        else {
                            continue;
                        };
                        let range = self.read(addr, ty, false);
                        changed |= self.values[index] != range;
                        self.values[index] = range;
                    }
                    _ => changed |= self.compute(id),
                }
            }
            for event in self.unrolled.events.iter().filter(|event| !event.solo) {
                if let EventKind::Store { addr, ty, value, .. } = event.kind {
                    let addresses = self.addresses(addr, ty, true);
                    self.write(&addresses, ty, value, |cell, range| changed |= cell.range.join(range));
                }
            }
        }
    }

    /// The good addresses an access may have.
    fn addresses(&self, addr: ValId, ty: IntTy, store: bool) -> Addresses {
        match &self.values[addr.index()] {
            Range::Set(values) => {
                let good = |value: &Value| {
                    let addr = value.defined()?;
                    self.object_at(addr, ty.bytes(), store).map(|_| addr)
                };
                let good: Vec<u64> = values.iter().filter_map(|(value, _)| good(value)).collect();
                Addresses { others: good.len() < values.len(), good }
            }
            // Every aligned place that fits what is known of the bits.
            Range::Wide(wide) => {
                let mut good = Vec::new();
                for object in self.unrolled.objects.iter() {
                    let end = (object.base + object.size).saturating_sub(ty.bytes() - 1);
                    let places = (object.base..end).step_by(ty.bytes() as usize);
                    good.extend(places.filter(|&at| {
                        wide.admits(Value::new(at)) && self.object_at(at, ty.bytes(), store).is_some()
                    }));
                }
                Addresses { good, others: true }
            }
        }
    }

    fn object_at(&self, addr: u64, bytes: u64, store: bool) -> Option<usize> {
        let holds = |object: &Object| object.base <= addr && addr + bytes <= object.base + object.size;
        let index = self.unrolled.objects.iter().position(holds)?;
        let global = self.unrolled.objects[index].global;
        (!(store && global.is_some_and(|index| self.program.globals[index].constant))).then_some(index)
    }

    fn cover(&mut self, addr: u64, bytes: u64) -> Vec<u64> {
        let Some(object) = self.object_at(addr, bytes, false) else { return Vec::new() };
        let content = &self.contents[object];
        self.cells.cover(addr, bytes, |addr, bytes| {
            let ty = IntTy::unsigned(8 * bytes as u8);
            let initial = Range::single(content.read(addr - content.base, ty));
            Cell { addr, bytes, object, range: initial.clone(), initial }
        })
    }

    /// What a load may read.
    fn read(&mut self, addr: ValId, ty: IntTy, solo: bool) -> Range {
        let mut result = Range::default();
        for at in self.addresses(addr, ty, false).good {
            let mut word = Range::single(Value::ZERO);
            for start in self.cover(at, ty.bytes()) {
                let cell = self.cells.get(start);
                let content = if solo { &cell.initial } else { &cell.range };
                let (low, bits) = (8 * (start - at) as u8, 8 * cell.bytes as u8);
                word = match (low, bits == ty.bits) {
                    (0, true) => content.clone(),
                    _ => domain::apply(PrimOp::Insert { low, bits }, &[&word, content]),
                };
            }
            result.join(&domain::apply(PrimOp::Convert(ty), &[&word]));
        }
        result
    }

    /// Puts a value into the cells of all addresses.
    fn write(
        &mut self,
        addresses: &Addresses,
        ty: IntTy,
        value: ValId,
        mut put: impl FnMut(&mut Cell, &Range),
    ) {
        for &at in &addresses.good {
            for start in self.cover(at, ty.bytes()) {
                let cell = self.cells.get_mut(start);
                let extract = PrimOp::Extract { low: 8 * (start - at) as u8, ty: cell.ty() };
                let part = domain::apply(extract, &[&self.values[value.index()]]);
                put(cell, &part);
            }
        }
    }

    /// Makes every access split the same way wherever it goes.
    fn even_out(&mut self) {
        for event in &self.unrolled.events {
            let Some((addr, ty, store)) = access(&event.kind) else { continue };
            let good = self.addresses(addr, ty, store).good;
            let offsets: Vec<u64> =
                good.iter().flat_map(|&at| self.cells.cuts_in(at, ty.bytes()).collect::<Vec<_>>()).collect();
            for &at in &good {
                offsets.iter().for_each(|offset| self.cells.cut(at + offset));
            }
        }
    }

    fn finish(mut self) -> Ranges {
        // Cells get their numbers when all are made.
        let events = &self.unrolled.events;
        for event in events {
            if let Some((addr, ty, store)) = access(&event.kind) {
                self.addresses(addr, ty, store).good.iter().for_each(|&at| _ = self.cover(at, ty.bytes()));
            }
        }
        let starts: FxHashMap<u64, usize> =
            self.cells.iter_mut().enumerate().map(|(i, cell)| (cell.addr, i)).collect();
        let plans = events.iter().map(|event| self.plan(&event.kind, &starts)).collect();
        Ranges { values: self.values, plans, cells: self.cells.into_sorted() }
    }

    fn plan(&mut self, kind: &EventKind, starts: &FxHashMap<u64, usize>) -> Plan {
        let Some((addr, ty, store)) = access(kind) else { return Plan::default() };
        let Addresses { good, others } = self.addresses(addr, ty, store);
        let mut plan = Plan { may_miss: others, ..Plan::default() };
        for at in good {
            let cells = self.cover(at, ty.bytes());
            if plan.parts.is_empty() {
                let part = |start: &u64| Part { offset: start - at, bytes: self.cells.get(*start).bytes };
                plan.parts = cells.iter().map(part).collect();
            }
            plan.targets.push((at, cells.iter().map(|start| starts[start]).collect()));
        }
        plan
    }
}

/// Address, type, and whether it is a store, of an access.
pub fn access(kind: &EventKind) -> Option<(ValId, IntTy, bool)> {
    match *kind {
        EventKind::Load { addr, ty, .. } => Some((addr, ty, false)),
        EventKind::Store { addr, ty, .. } => Some((addr, ty, true)),
        _ => None,
    }
}
