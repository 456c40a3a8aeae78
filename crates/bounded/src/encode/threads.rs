//! The thread-local formulae: values, guards, which events are executed, and where threads end.

use super::Encoding;
use crate::circuit::Lit;
use crate::guard::Guard;
use crate::range::domain::Range;
use crate::ssa::{Node, ValId};
use crate::unroll::{EventKind, Start, StopKind};
use crate::word::{self, Word};
use fencepost_lsl::memory;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::value::{IntTy, Value};
use std::rc::Rc;

/// Tables larger than this become circuits.
const MAX_TABLE: usize = 512;

impl Encoding<'_> {
    /// Walks all threads in program order.
    pub(super) fn encode_threads(&mut self) {
        for thread in 0..self.unrolled.threads.len() {
            let start = match self.unrolled.threads[thread].start {
                Start::Begin => Lit::TRUE,
                Start::AfterFirst => self.finished[0],
                Start::Spawn(event) => self.exec[event],
            };
            self.encode_thread(thread, start);
        }
    }

    fn encode_thread(&mut self, thread: usize, start: Lit) {
        let events = self.unrolled.threads[thread].events.clone();
        let stops: Vec<(Guard, StopKind)> =
            self.unrolled.threads[thread].stops.iter().map(|stop| (stop.guard, stop.kind.clone())).collect();
        let mut alive = start;
        let mut fired = Vec::with_capacity(stops.len());
        let mut next_stop = stops.iter();
        for event in events {
            while fired.len() < self.unrolled.events[event].stops {
                let (guard, kind) = next_stop.next().expect("events count the stops before them");
                alive = self.encode_stop(*guard, kind, alive, &mut fired);
            }
            self.locate(event);
            let guard = self.guard(self.unrolled.events[event].guard);
            self.exec[event] = self.circuit.and(guard, alive);
        }
        for (guard, kind) in next_stop {
            alive = self.encode_stop(*guard, kind, alive, &mut fired);
        }
        self.fired.push(fired);
        self.finished.push(alive);
    }

    /// Encodes a stop; returns whether the thread goes on after it.
    fn encode_stop(&mut self, guard: Guard, kind: &StopKind, alive: Lit, fired: &mut Vec<Lit>) -> Lit {
        let bad = match kind {
            StopKind::Undefined(value, _) => {
                let word = self.word(*value);
                word.any_undef(&mut self.circuit)
            }
            StopKind::Assert(value, _) | StopKind::Assume(value) => !self.truth(*value),
            StopKind::Below(value, limit, _) => {
                let word = self.word(*value);
                let limit = Word::constant(Value::new(*limit));
                let below = PrimOp::Cmp(CmpOp::Lt, false);
                !word::apply(&mut self.circuit, below, &[&word, &limit]).bits[0]
            }
            StopKind::Address(event) => {
                self.locate(*event);
                if self.ranges.plans[*event].may_miss {
                    !self.circuit.or_all(&self.at[*event].clone())
                } else {
                    Lit::FALSE
                }
            }
            StopKind::Spin { .. } | StopKind::Bound(_) | StopKind::Restricted => Lit::TRUE,
        };
        let guard = self.guard(guard);
        let here = self.circuit.and(guard, bad);
        let fires = self.circuit.and(here, alive);
        fired.push(fires);
        // Not `!fires`: that would tie being alive to itself.
        self.circuit.and(alive, !here)
    }

    /// Fills in where an access goes.
    fn locate(&mut self, event: usize) {
        let Some((addr, ..)) = crate::range::access(&self.unrolled.events[event].kind) else { return };
        let plan = &self.ranges.plans[event];
        if self.at[event].len() == plan.targets.len() {
            return;
        }
        let word = self.word(addr);
        let mut lits = Vec::with_capacity(plan.targets.len());
        for (target, _) in &plan.targets {
            lits.push(if plan.targets.len() == 1 && !plan.may_miss {
                Lit::TRUE
            } else {
                word.is(&mut self.circuit, Value::new(*target))
            });
        }
        self.at[event] = lits;
    }

    /// When a guard holds.
    pub(super) fn guard(&mut self, guard: Guard) -> Lit {
        let Some(decision) = self.unrolled.values.guards.decision(guard) else {
            return Lit::constant(guard == Guard::TRUE);
        };
        if let Some(&lit) = self.guards.get(&guard) {
            return lit;
        }
        let value = self.unrolled.values.conditions[decision.cond as usize];
        let word = self.word(value);
        let test = word.truth(&mut self.circuit);
        let (high, low) = (self.guard(decision.high), self.guard(decision.low));
        let lit = self.circuit.ite(test, high, low);
        self.guards.insert(guard, lit);
        lit
    }

    fn truth(&mut self, value: ValId) -> Lit {
        let guard = self.unrolled.values.truth(value);
        self.guard(guard)
    }

    /// The literals of a value.
    pub fn word(&mut self, id: ValId) -> Rc<Word> {
        if let Some(word) = &self.words[id.index()] {
            return word.clone();
        }
        let ranges = self.ranges;
        let range = ranges.of(id);
        let word = match self.unrolled.values.node(id).clone() {
            Node::Const(value) => Word::constant(value),
            Node::Choice(_) => self.choice(range),
            Node::Load(event) => self.load(event as usize, range),
            Node::Select(guard, yes, no) => {
                let test = self.guard(guard);
                let (yes, no) = (self.word(yes), self.word(no));
                Word::select(&mut self.circuit, test, &yes, &no)
            }
            Node::Op(op, args) => {
                let words: Vec<Rc<Word>> = args.iter().map(|&arg| self.word(arg)).collect();
                let tabled = self.table(op, &args, &words, range);
                tabled.unwrap_or_else(|| {
                    let words: Vec<&Word> = words.iter().map(|word| &**word).collect();
                    word::apply(&mut self.circuit, op, &words)
                })
            }
        };
        let word = Rc::new(word.fixed_by(range));
        self.words[id.index()] = Some(word.clone());
        word
    }

    /// A word that is one of a set.
    fn choice(&mut self, range: &Range) -> Word {
        let word = Word::fresh(&mut self.circuit, range);
        if let Some(values) = range.values() {
            let mut any = Vec::new();
            for value in values {
                any.push(word.is(&mut self.circuit, value));
            }
            self.circuit.clause(&any);
        }
        word
    }

    /// Costly operations on few values, value by value.
    fn table(&mut self, op: PrimOp, args: &[ValId], words: &[Rc<Word>], range: &Range) -> Option<Word> {
        let costly =
            matches!(op, PrimOp::Bin(BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, _));
        if !costly || words.iter().any(|word| word.as_constant().is_some()) {
            return None;
        }
        let sets: Vec<Vec<Value>> =
            args.iter().map(|&arg| Some(self.ranges.of(arg).values()?.collect())).collect::<Option<_>>()?;
        if sets[0].len() * sets[1].len() > MAX_TABLE {
            return None;
        }
        let mut result = Word::constant(range.values()?.next()?);
        for &a in &sets[0] {
            let is_a = words[0].is(&mut self.circuit, a);
            for &b in &sets[1] {
                let Ok(value) = op.eval(&[a, b]) else { continue };
                let is_b = words[1].is(&mut self.circuit, b);
                let both = self.circuit.and(is_a, is_b);
                result = Word::select(&mut self.circuit, both, &Word::constant(value), &result);
            }
        }
        Some(result)
    }

    /// What a load reads: resolved if only its own thread can have written it, else left to the memory
    /// model.
    fn load(&mut self, event: usize, range: &Range) -> Word {
        if !self.memory.is_local(event) {
            return Word::fresh(&mut self.circuit, range);
        }
        self.locate(event);
        let ranges = self.ranges;
        let plan = &ranges.plans[event];
        let EventKind::Load { ty, .. } = self.unrolled.events[event].kind else {
            return Word::constant(Value::ZERO);
        };
        let mut result: Option<Word> = None;
        for (target, (_, cells)) in plan.targets.iter().enumerate() {
            let mut word = Word::constant(Value::ZERO);
            for (part, &cell) in plan.parts.iter().zip(cells) {
                let content = self.latest(event, cell);
                let insert = PrimOp::Insert { low: 8 * part.offset as u8, bits: 8 * part.bytes as u8 };
                word = word::apply(&mut self.circuit, insert, &[&word, &content]);
            }
            word = word::apply(&mut self.circuit, PrimOp::Convert(ty), &[&word]);
            let test = self.at[event][target];
            result = Some(match result {
                None => word,
                Some(other) => Word::select(&mut self.circuit, test, &word, &other),
            });
        }
        result.unwrap_or(Word::constant(Value::ZERO))
    }

    /// Content of a cell as its thread left it before an event.
    fn latest(&mut self, event: usize, cell: usize) -> Rc<Word> {
        let (thread, solo) = (self.unrolled.events[event].thread, self.unrolled.events[event].solo);
        let mut word = if solo { self.content(cell) } else { self.initial(cell) };
        for store in self.memory.stores_to(cell) {
            let other = &self.unrolled.events[store];
            if other.thread == thread && other.solo == solo && store < event {
                word = self.overwrite(store, cell, word);
            }
        }
        word
    }

    /// Content of a cell when the second thread starts.
    pub(super) fn initial(&mut self, cell: usize) -> Rc<Word> {
        if let Some(word) = self.initial.get(&cell) {
            return word.clone();
        }
        let mut word = self.content(cell);
        for store in self.memory.stores_to(cell) {
            if self.unrolled.events[store].solo {
                word = self.overwrite(store, cell, word);
            }
        }
        self.initial.insert(cell, word.clone());
        word
    }

    /// Content of a cell when its object comes to be.
    fn content(&self, cell: usize) -> Rc<Word> {
        let cell = &self.ranges.cells[cell];
        let object = &self.unrolled.objects[cell.object];
        let object = match object.global {
            Some(index) => memory::Object::of_global(&self.program.globals[index]),
            None => memory::Object::new(object.base, object.size, object.place, object.zeroed, None),
        };
        Rc::new(Word::constant(object.read(cell.addr - object.base, cell.ty())))
    }

    /// Content of a cell after a store that may go there.
    fn overwrite(&mut self, store: usize, cell: usize, before: Rc<Word>) -> Rc<Word> {
        let mut word = before;
        for (part, lit) in self.hits(store, cell) {
            let test = self.circuit.and(self.exec[store], lit);
            let value = self.stored(store, part);
            word = Rc::new(Word::select(&mut self.circuit, test, &value, &word));
        }
        word
    }

    /// With which parts an access may touch a cell, and when.
    pub(super) fn hits(&self, event: usize, cell: usize) -> Vec<(usize, Lit)> {
        let plan = &self.ranges.plans[event];
        let mut hits = Vec::new();
        for (target, (_, cells)) in plan.targets.iter().enumerate() {
            if let Some(part) = cells.iter().position(|&other| other == cell) {
                hits.push((part, self.at[event][target]));
            }
        }
        hits
    }

    /// What a store writes with one of its parts.
    pub(super) fn stored(&mut self, store: usize, part: usize) -> Rc<Word> {
        let EventKind::Store { value, .. } = self.unrolled.events[store].kind else {
            return Rc::new(Word::constant(Value::ZERO));
        };
        let word = self.word(value);
        let part = self.ranges.plans[store].parts[part];
        let extract = PrimOp::Extract { low: 8 * part.offset as u8, ty: part.ty() };
        Rc::new(word::apply(&mut self.circuit, extract, &[&word]))
    }

    /// What a load reads with one of its parts.
    pub(super) fn loaded(&mut self, load: usize, part: usize) -> Rc<Word> {
        let EventKind::Load { value, .. } = self.unrolled.events[load].kind else {
            return Rc::new(Word::constant(Value::ZERO));
        };
        let word = self.word(value);
        let part = self.ranges.plans[load].parts[part];
        let ty = IntTy::unsigned(8 * part.bytes as u8);
        let extract = PrimOp::Extract { low: 8 * part.offset as u8, ty };
        Rc::new(word::apply(&mut self.circuit, extract, &[&word]))
    }

    /// The stores that a local load may read from, each with when it does: stores of its own thread that
    /// no later one hides.
    pub(super) fn local_sources(&mut self, load: usize) -> Vec<(usize, usize, Lit)> {
        let mut found = Vec::new();
        let (thread, plan) = (self.unrolled.events[load].thread, &self.ranges.plans[load]);
        let mut cells: Vec<usize> = plan.targets.iter().flat_map(|(_, cells)| cells.clone()).collect();
        cells.sort();
        cells.dedup();
        for cell in cells {
            let reads: Vec<Lit> = self.hits(load, cell).into_iter().map(|(_, lit)| lit).collect();
            let mut open = self.circuit.or_all(&reads);
            for store in self.memory.stores_to(cell).into_iter().rev() {
                let event = &self.unrolled.events[store];
                if event.thread != thread || event.solo || store > load {
                    continue;
                }
                let writes: Vec<Lit> = self.hits(store, cell).into_iter().map(|(_, lit)| lit).collect();
                let writes = self.circuit.or_all(&writes);
                let writes = self.circuit.and(writes, self.exec[store]);
                let lit = self.circuit.and(open, writes);
                if lit != Lit::FALSE {
                    found.push((store, load, lit));
                }
                open = self.circuit.and(open, !writes);
            }
        }
        found
    }

    /// Whether a store of a spin loop's iteration writes anything else than what the load before it read.
    pub fn noisy(&mut self, silent: &[(usize, usize)]) -> Lit {
        let mut lits = Vec::new();
        for &(load, store) in silent {
            let (EventKind::Load { value: read, .. }, EventKind::Store { value: written, ty, .. }) =
                (self.unrolled.events[load].kind.clone(), self.unrolled.events[store].kind.clone())
            else {
                continue;
            };
            let (read, written) = (self.word(read), self.word(written));
            let narrow = PrimOp::Convert(IntTy::unsigned(ty.bits));
            let read = word::apply(&mut self.circuit, narrow, &[&read]);
            let written = word::apply(&mut self.circuit, narrow, &[&written]);
            let pairs = read.bits.iter().zip(&written.bits).chain(read.undef.iter().zip(&written.undef));
            let mut differ = Vec::new();
            for (&a, &b) in pairs {
                differ.push(self.circuit.xor(a, b));
            }
            let differ = self.circuit.or_all(&differ);
            lits.push(self.circuit.and(differ, self.exec[store]));
        }
        self.circuit.or_all(&lits)
    }
}
