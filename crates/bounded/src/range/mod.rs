//! Range analysis (CheckFence, Section 3.4): which values each value of the unrolled program may take,
//! and which cells of memory each access may touch.
//!
//! While one thread is alone its stores replace what they overwrite; from then on the analysis is
//! flow-insensitive: a load may read whatever any store may put into a cell it may touch. It is sound for
//! executions in which no value depends on itself; see [`domain`] for how it ends.

pub(crate) mod cells;
pub(crate) mod domain;
pub(crate) mod rooms;

use crate::guard::Guard;
use crate::ssa::{Check, Node, ValId};
use crate::unroll::{EventKind, Failure, Object, Unrolled};
use cells::{Cell, Cells};
use domain::{Range, Wide};
use fencepost_harness::budget::Budget;
use fencepost_lsl::memory;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Choice, Place, Program};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};
use rooms::Rooms;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a part of an access is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// Some bytes of the access itself.
    Bytes {
        /// Offset in the access; for an allocation, in the object.
        offset: u64,
        /// Size.
        bytes: u64,
    },
    /// Whether the object that is accessed is alive.
    Life,
}

impl What {
    /// The type in which its value is kept.
    pub(crate) fn ty(self) -> IntTy {
        match self {
            What::Bytes { bytes, .. } => IntTy::unsigned(8 * bytes as u8),
            What::Life => IntTy::unsigned(1),
        }
    }
}

/// A part of an access: it touches one cell wherever the access goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// What it is about.
    pub what: What,
    /// For each target of the access, the index of the cell it touches; none if it touches none there.
    pub cells: Vec<Option<usize>>,
}

/// Where an access may go, and what it touches there.
#[derive(Clone, Default, Debug)]
pub(crate) struct Plan {
    /// The good addresses it may have.
    pub targets: Vec<u64>,
    /// What it reads.
    pub reads: Vec<Part>,
    /// What it writes.
    pub writes: Vec<Part>,
    /// Whether it may have a bad address.
    pub may_miss: bool,
}

/// The outcome of the analysis.
pub(crate) struct Ranges {
    /// What each value may be.
    pub values: Vec<Range>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// For each event that accesses memory, where it may go.
    pub plans: Vec<Plan>,
}

impl Ranges {
    /// What a value may be.
    pub(crate) fn of(&self, id: ValId) -> &Range {
        &self.values[id.index()]
    }
}

/// How much to find out about what threads load.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// Follow values through memory.
    #[default]
    Values,
    /// Take every value of the type for possible, to measure what the analysis saves.
    Types,
}

/// Places that an access may go to at most.
const MOST_PLACES: usize = 1 << 14;

/// Analyses an unrolled program. When the budget is used up, what comes back is of no use.
pub(crate) fn analyse(
    program: &Program,
    unrolled: &Unrolled,
    precision: Precision,
    budget: &Budget,
) -> Result<Ranges, Failure> {
    let _span = tracing::info_span!("ranges", values = unrolled.values.len()).entered();
    let contents = unrolled.objects.iter().map(|object| content(program, object)).collect();
    let renewed = renewed_objects(unrolled);
    let (creating, limit) = creating_operations(unrolled);
    let rooms = Rooms::new(unrolled);
    let mut cells = Cells::default();
    loop {
        let values = vec![Range::default(); unrolled.values.len()];
        let mut analysis = Analysis {
            program,
            unrolled,
            contents: &contents,
            renewed: &renewed,
            creating: &creating,
            limit,
            rooms: &rooms,
            precision,
            values,
            cells,
            done: 0,
            crowded: std::cell::Cell::new(false),
        };
        analysis.solo();
        analysis.concurrent(budget);
        analysis.even_out(budget);
        if let Some(span) = analysis.crowded() {
            let what = format!("an access that may go to more than {MOST_PLACES} places");
            return Err(Failure::Unsupported(what, span));
        }
        if !analysis.cells.stale || budget.exhausted().is_some() {
            return Ok(analysis.finish());
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

/// For each object, the allocations that may take its memory: whether they leave zeros there.
fn renewed_objects(unrolled: &Unrolled) -> Vec<Vec<bool>> {
    let mut renewed = vec![Vec::new(); unrolled.objects.len()];
    for event in &unrolled.events {
        let EventKind::Alloc { object, addr } = event.kind else { continue };
        let &Node::Choice(number) = unrolled.values.node(addr) else { continue };
        let Choice::OneOf(bases) = &unrolled.values.choices[number as usize] else { continue };
        for (other, taken) in unrolled.objects.iter().enumerate() {
            if other != object && bases.contains(&Value::new(taken.base)) {
                renewed[other].push(unrolled.objects[object].zeroed);
            }
        }
    }
    renewed
}

/// What a cell holds when its object comes to be.
fn fresh(zeroed: bool, ty: IntTy) -> Value {
    if zeroed { Value::ZERO } else { Value::UNDEFINED.wrap(ty) }
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
            Node::Checked(_, inner) => work.push(*inner),
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
    /// For each object, whether the allocations that may take its memory leave zeros there.
    renewed: &'a Vec<Vec<bool>>,
    /// The operations that count for `limit`.
    creating: &'a Vec<bool>,
    /// How many of those a value can have been through.
    limit: u32,
    rooms: &'a Rooms,
    precision: Precision,
    values: Vec<Range>,
    cells: Cells,
    /// Values below this index are computed, in the phase with one thread.
    done: usize,
    /// Whether an access may go to too many places.
    crowded: std::cell::Cell<bool>,
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
                EventKind::Alloc { object, addr } => {
                    self.compute_up_to(addr);
                    self.renew(object, addr, |cell, fresh| _ = cell.initial.join(fresh));
                }
                _ => {}
            }
        }
        for cell in self.cells.iter_mut() {
            cell.range = cell.initial.clone();
        }
    }

    /// An allocation that takes memory of another object leaves there what a new object holds.
    fn renew(&mut self, object: usize, addr: ValId, mut put: impl FnMut(&mut Cell, &Range)) {
        if self.unrolled.values.constant(addr).is_some() {
            return;
        }
        let zeroed = self.unrolled.objects[object].zeroed;
        let range = &self.values[addr.index()];
        for cell in self.cells.iter_mut().filter(|cell| cell.object != object) {
            if range.admits(Value::new(self.unrolled.objects[cell.object].base)) {
                put(cell, &Range::single(fresh(zeroed, cell.ty())));
            }
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
            Node::Checked(check, inner) => self.passing(*check, &self.values[inner.index()]),
        };
        let changed = self.values[id.index()] != range;
        self.values[id.index()] = range;
        changed
    }

    /// What of a range a check lets pass.
    fn passing(&self, check: Check, range: &Range) -> Range {
        match (check, range) {
            (Check::With(base), _) => self.rooms.near(&self.values[base.index()], range),
            (Check::Below(limit), Range::Set(values)) => {
                let less = |value: Value| value.defined().is_some_and(|number| number < limit);
                Range::Set(values.iter().copied().filter(|(value, _)| less(*value)).collect())
            }
            (Check::Below(limit), Range::Wide(wide)) => wide.within(&(0..limit)),
        }
    }

    /// The phase with all threads: values pile up in cells until nothing changes.
    fn concurrent(&mut self, budget: &Budget) {
        let mut changed = true;
        while changed && !self.cells.stale && budget.exhausted().is_none() {
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
                match event.kind {
                    EventKind::Store { addr, ty, value, .. } => {
                        let addresses = self.addresses(addr, ty, true);
                        self.write(&addresses, ty, value, |cell, range| changed |= cell.range.join(range));
                    }
                    EventKind::Alloc { object, addr } => {
                        self.renew(object, addr, |cell, fresh| changed |= cell.range.join(fresh));
                    }
                    _ => {}
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
            // Every place that fits what is known of the bits.
            Range::Wide(wide) => {
                let mut good = Vec::new();
                for object in self.unrolled.objects.iter() {
                    if !self.may_take(object, store) {
                        continue;
                    }
                    let end = (object.base + object.size).saturating_sub(ty.bytes() - 1);
                    let places = (object.base..end).filter(|&at| wide.admits(Value::new(at)));
                    good.extend(places.take(MOST_PLACES + 1 - good.len()));
                    if good.len() > MOST_PLACES {
                        self.crowded.set(true);
                        break;
                    }
                }
                Addresses { good, others: true }
            }
        }
    }

    fn object_at(&self, addr: u64, bytes: u64, store: bool) -> Option<usize> {
        let holds = |object: &Object| memory::covers((object.base, object.size), (addr, bytes));
        let index = self.unrolled.objects.iter().position(holds)?;
        self.may_take(&self.unrolled.objects[index], store).then_some(index)
    }

    /// Whether an object may be accessed, or stored to.
    fn may_take(&self, object: &Object, store: bool) -> bool {
        !(store && object.global.is_some_and(|index| self.program.globals[index].constant))
    }

    /// Where an access stands that may go to too many places, if there was one.
    fn crowded(&self) -> Option<Span> {
        let accesses =
            self.unrolled.events.iter().filter_map(|event| Some((access(&event.kind)?, event.span)));
        let crowded = |((addr, ty, store), _): &((ValId, IntTy, bool), Span)| {
            self.addresses(*addr, *ty, *store).good.len() > MOST_PLACES
        };
        let mut accesses = accesses.filter(|_| self.crowded.get());
        accesses.find(crowded).map(|(_, span)| span)
    }

    fn cover(&mut self, addr: u64, bytes: u64) -> Vec<u64> {
        let Some(object) = self.object_at(addr, bytes, false) else { return Vec::new() };
        let (content, renewed) = (&self.contents[object], &self.renewed[object]);
        self.cells.cover(addr, bytes, |addr, bytes| {
            let ty = IntTy::unsigned(8 * bytes as u8);
            let content = content.read(addr - content.base, ty);
            let initial = Range::of(renewed.iter().map(|zeroed| fresh(*zeroed, ty)).chain([content]));
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
        if !solo && self.precision == Precision::Types {
            return Range::Wide(Wide { undef: Wide::of(ty).one, ..Wide::of(ty) });
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
    fn even_out(&mut self, budget: &Budget) {
        for event in &self.unrolled.events {
            if budget.exhausted().is_some() {
                return;
            }
            let Some((addr, ty, store)) = access(&event.kind) else { continue };
            let good = self.addresses(addr, ty, store).good;
            let offsets: BTreeSet<u64> =
                good.iter().flat_map(|&at| self.cells.cuts_in(at, ty.bytes())).collect();
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
        let mut numbers = Numbers {
            starts: self.cells.iter_mut().enumerate().map(|(i, cell)| (cell.addr, i)).collect(),
            life: FxHashMap::default(),
        };
        let lives = self.freed_objects();
        for (index, object) in lives.iter().enumerate() {
            numbers.life.insert(*object, numbers.starts.len() + index);
        }
        let plans = events.iter().map(|event| self.plan(&event.kind, &numbers)).collect();
        let mut cells = std::mem::take(&mut self.cells).into_sorted();
        for object in lives {
            // One bit, which starts as one: alive.
            let (addr, initial) = (self.unrolled.objects[object].base | LIFE, Range::single(Value::ONE));
            let range = Range::of([Value::ZERO, Value::ONE]);
            cells.push(Cell { addr, bytes: 1, object, initial, range });
        }
        Ranges { values: self.values, plans, cells }
    }

    /// Heap objects that something may free.
    fn freed_objects(&self) -> Vec<usize> {
        let is_freed = |object: &Object| {
            object.place == Place::Heap
                && self.unrolled.events.iter().any(|event| match event.kind {
                    EventKind::Free { addr } => self.values[addr.index()].admits(Value::new(object.base)),
                    _ => false,
                })
        };
        (0..self.unrolled.objects.len()).filter(|&index| is_freed(&self.unrolled.objects[index])).collect()
    }

    fn plan(&mut self, kind: &EventKind, numbers: &Numbers) -> Plan {
        match *kind {
            EventKind::Load { addr, ty, .. } | EventKind::Store { addr, ty, .. } => {
                let store = matches!(kind, EventKind::Store { .. });
                let Addresses { good, others } = self.addresses(addr, ty, store);
                let bytes = self.byte_parts(&good, ty, numbers);
                let life = self.life_part(&good, numbers);
                let (reads, writes) = match store {
                    false => (bytes.into_iter().chain(life).collect(), Vec::new()),
                    true => (life.into_iter().collect(), bytes),
                };
                Plan { targets: good, reads, writes, may_miss: others }
            }
            EventKind::Free { addr } => {
                let bases: Vec<u64> =
                    numbers.life.keys().map(|&object| self.unrolled.objects[object].base).collect();
                let range = &self.values[addr.index()];
                let mut targets: Vec<u64> =
                    bases.into_iter().filter(|&base| range.admits(Value::new(base))).collect();
                targets.sort();
                let may_miss = match range {
                    Range::Set(values) => {
                        values.iter().filter(|v| v.0 != Value::ZERO).count() > targets.len()
                    }
                    Range::Wide(_) => true,
                };
                let life: Vec<Part> = self.life_part(&targets, numbers).into_iter().collect();
                Plan { targets, reads: life.clone(), writes: life, may_miss }
            }
            EventKind::Alloc { object, addr } if self.unrolled.values.constant(addr).is_none() => {
                self.reuse_plan(object, addr, numbers)
            }
            _ => Plan::default(),
        }
    }

    /// The parts of an access to bytes, equal wherever it goes.
    fn byte_parts(&mut self, targets: &[u64], ty: IntTy, numbers: &Numbers) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (index, &at) in targets.iter().enumerate() {
            let cells = self.cover(at, ty.bytes());
            if index == 0 {
                parts.extend(cells.iter().map(|start| {
                    let what = What::Bytes { offset: start - at, bytes: self.cells.get(*start).bytes };
                    Part { what, cells: Vec::new() }
                }));
            }
            for (part, start) in parts.iter_mut().zip(cells) {
                part.cells.push(numbers.starts.get(&start).copied());
            }
        }
        parts
    }

    /// The part of an access that reads whether its object is alive; none if no object it may go to is
    /// ever freed.
    fn life_part(&self, targets: &[u64], numbers: &Numbers) -> Option<Part> {
        let life = |at: &u64| {
            // No byte: an empty object is alive or dead, too.
            let object = self.object_at(*at, 0, false)?;
            numbers.life.get(&object).copied()
        };
        let cells: Vec<Option<usize>> = targets.iter().map(life).collect();
        cells.iter().any(Option::is_some).then_some(Part { what: What::Life, cells })
    }

    /// An allocation that may take memory which was freed: it finds the object dead, brings it to life,
    /// and resets its content.
    fn reuse_plan(&mut self, own: usize, addr: ValId, numbers: &Numbers) -> Plan {
        let mut plan = Plan::default();
        let objects = &self.unrolled.objects;
        let reused: Vec<usize> = (0..objects.len())
            .filter(|&other| other != own && numbers.life.contains_key(&other))
            .filter(|&other| self.values[addr.index()].admits(Value::new(objects[other].base)))
            .collect();
        plan.targets = reused.iter().map(|&object| objects[object].base).collect();
        let life = reused.iter().map(|object| numbers.life.get(object).copied()).collect();
        let life = Part { what: What::Life, cells: life };
        plan.reads = vec![life.clone()];
        plan.writes = vec![life];
        let mut parts: Vec<(u64, u64)> = Vec::new();
        for cell in self.cells.iter_mut() {
            if reused.contains(&cell.object) {
                parts.push((cell.addr - objects[cell.object].base, cell.bytes));
            }
        }
        parts.sort();
        parts.dedup();
        for (offset, bytes) in parts {
            let cell = |&object: &usize| {
                let start = objects[object].base + offset;
                let index = numbers.starts.get(&start).copied()?;
                (self.cells.get(start).bytes == bytes).then_some(index)
            };
            let cells = reused.iter().map(cell).collect();
            plan.writes.push(Part { what: What::Bytes { offset, bytes }, cells });
        }
        plan
    }
}

/// Marks the address of a cell that holds whether the object there is alive.
pub(crate) const LIFE: u64 = 1 << 40;

/// Numbers of cells: by address, and of the lives of objects.
struct Numbers {
    starts: FxHashMap<u64, usize>,
    life: FxHashMap<usize, usize>,
}

/// Address, type, and whether it is a store, of an access.
pub(crate) fn access(kind: &EventKind) -> Option<(ValId, IntTy, bool)> {
    match *kind {
        EventKind::Load { addr, ty, .. } => Some((addr, ty, false)),
        EventKind::Store { addr, ty, .. } => Some((addr, ty, true)),
        _ => None,
    }
}
