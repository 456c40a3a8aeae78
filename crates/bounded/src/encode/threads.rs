//! The thread-local formulae: values, guards, which events are executed, and where threads end.

use super::Encoding;
use super::memory::PartId;
use crate::circuit::Lit;
use crate::guard::Guard;
use crate::range::domain::Range;
use crate::range::{LIFE, What};
use crate::ssa::{Node, ValId};
use crate::unroll::{EventKind, Restored, Stillness, StopKind};
use crate::word::{self, Word};
use fencepost_lsl::memory;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Choice, Switch};
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Tables larger than this become circuits.
const MAX_TABLE: usize = 512;

impl Encoding<'_> {
    /// Walks all threads in program order.
    pub(super) fn encode_threads(&mut self) {
        for thread in 0..self.unrolled.threads.len() {
            let start = self.started(thread);
            self.encode_thread(thread, start);
        }
        self.choose_access();
    }

    fn encode_thread(&mut self, thread: usize, start: Lit) {
        let events = self.unrolled.threads[thread].events.clone();
        let stops: Vec<(Guard, StopKind)> =
            self.unrolled.threads[thread].stops.iter().map(|stop| (stop.guard, stop.kind.clone())).collect();
        let mut alive = start;
        let mut fired = Vec::with_capacity(stops.len());
        let mut next_stop = stops.iter();
        let checked: FxHashSet<usize> = stops
            .iter()
            .filter_map(|(_, kind)| match kind {
                StopKind::Address(event) => Some(*event),
                _ => None,
            })
            .collect();
        for event in events {
            while fired.len() < self.unrolled.events[event].stops {
                let (guard, kind) = next_stop.next().expect("events count the stops before them");
                alive = self.encode_stop(*guard, kind, alive, &mut fired);
            }
            self.locate(event);
            let guard = self.guard(self.unrolled.events[event].guard);
            self.exec[event] = self.circuit.and(guard, alive);
            if let Some(switch) = self.unrolled.events[event].switch {
                let on = self.switch(switch);
                self.exec[event] = self.circuit.and(self.exec[event], on);
            }
            match self.unrolled.events[event].kind {
                EventKind::Alloc { .. } => self.take_life(event),
                _ => {
                    if self.ranges.plans[event].may_miss && !checked.contains(&event) {
                        self.impossible("an access whose address nobody checks");
                    }
                    self.find_freed(event);
                }
            }
        }
        for (guard, kind) in next_stop {
            alive = self.encode_stop(*guard, kind, alive, &mut fired);
        }
        for (stop, &lit) in self.unrolled.threads[thread].stops.iter().zip(&fired) {
            if let Some(block) = stop.atomic {
                let before = self.unfinished.get(&block).copied().unwrap_or(Lit::FALSE);
                let lit = self.circuit.or(before, lit);
                self.unfinished.insert(block, lit);
            }
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
            StopKind::Within(base, result) => self.strays(*base, *result),
            StopKind::Address(event) => {
                self.locate(*event);
                // An access that can go nowhere is wrong if it happens, not left out.
                let plan = &self.ranges.plans[*event];
                match plan.may_miss || plan.targets.is_empty() {
                    true => !self.circuit.or_all(&self.at[*event].clone()),
                    false => Lit::FALSE,
                }
            }
            StopKind::Spin(provided) => self.still(provided),
            StopKind::Bound(_) | StopKind::Restricted => Lit::TRUE,
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
        let addr = match self.unrolled.events[event].kind {
            EventKind::Load { addr, .. } | EventKind::Store { addr, .. } => addr,
            EventKind::Free { addr } | EventKind::Alloc { addr, .. } => addr,
            _ => return,
        };
        let ranges = self.ranges.clone();
        let plan = &ranges.plans[event];
        if self.at[event].len() == plan.targets.len() {
            return;
        }
        let word = self.word(addr);
        // An allocation mostly gets memory of its own, which is not among its targets.
        let certain = !plan.may_miss && !matches!(self.unrolled.events[event].kind, EventKind::Alloc { .. });
        let mut lits = Vec::with_capacity(plan.targets.len());
        for target in &plan.targets {
            lits.push(if plan.targets.len() == 1 && certain {
                Lit::TRUE
            } else {
                word.is(&mut self.circuit, Value::new(*target))
            });
        }
        self.at[event] = lits;
    }

    /// When a switch is on.
    pub(crate) fn switch(&mut self, switch: Switch) -> Lit {
        let circuit = &mut self.circuit;
        *self.switches.entry(switch).or_insert_with(|| circuit.var())
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
    pub(crate) fn word(&mut self, id: ValId) -> Rc<Word> {
        if let Some(word) = &self.words[id.index()] {
            return word.clone();
        }
        let ranges = self.ranges.clone();
        let range = ranges.of(id);
        let word = match self.unrolled.values.node(id).clone() {
            Node::Const(value) => Word::constant(value),
            Node::Choice(number) => self.choice(number, range),
            Node::Load(event) => self.load(event as usize, range),
            // Bits that the check rules out do not matter: where it fails, nothing is done with the value.
            Node::Checked(_, inner) => (*self.word(inner)).clone(),
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

    /// A word that is one of those offered.
    fn choice(&mut self, number: u32, range: &Range) -> Word {
        let word = Word::fresh(&mut self.circuit, range);
        if let Choice::OneOf(values) = self.unrolled.values.choices[number as usize].clone() {
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
        let ranges = self.ranges.clone();
        let EventKind::Load { ty, .. } = self.unrolled.events[event].kind else {
            self.impossible("a value that is loaded by no load");
            return Word::fresh(&mut self.circuit, range);
        };
        if !self.memory.is_local_load(event, &ranges) {
            return Word::fresh(&mut self.circuit, range).wrap(ty);
        }
        self.locate(event);
        let plan = &ranges.plans[event];
        let mut result: Option<Word> = None;
        for target in 0..plan.targets.len() {
            let mut word = Word::constant(Value::ZERO);
            for part in &plan.reads {
                if let (What::Bytes { offset, bytes }, Some(cell)) = (part.what, part.cells[target]) {
                    let content = self.latest(event, cell);
                    let insert = PrimOp::Insert { low: 8 * offset as u8, bits: 8 * bytes as u8 };
                    word = word::apply(&mut self.circuit, insert, &[&word, &content]);
                }
            }
            word = word::apply(&mut self.circuit, PrimOp::Convert(ty), &[&word]);
            let test = self.at[event][target];
            result = Some(match result {
                None => word,
                Some(other) => Word::select(&mut self.circuit, test, &word, &other),
            });
        }
        // A load that can go nowhere ends its thread, so its value does not matter; should it, then any value
        // is possible, and the referee refuses what comes of it.
        result.unwrap_or_else(|| Word::fresh(&mut self.circuit, range).wrap(ty))
    }

    /// Whether the object that an access goes to is alive; true if nothing ever frees it.
    fn life(&mut self, event: usize) -> Lit {
        let ranges = self.ranges.clone();
        let plan = &ranges.plans[event];
        let Some(index) = plan.reads.iter().position(|part| part.what == What::Life) else {
            return Lit::TRUE;
        };
        let part = &plan.reads[index];
        let alive = if self.memory.is_local((event, index)) {
            let mut alive = Lit::TRUE;
            for (cell, at) in self.hits(event, &part.cells) {
                let content = self.latest(event, cell).bits[0];
                alive = self.circuit.ite(at, content, alive);
            }
            alive
        } else {
            let found = self.circuit.var();
            self.lives.insert(event, found);
            // Elsewhere, nothing is ever freed.
            let at: Vec<Lit> = self.hits(event, &part.cells).iter().map(|(_, at)| *at).collect();
            let touched = if at.len() < part.cells.len() { self.circuit.or_all(&at) } else { Lit::TRUE };
            self.circuit.or(found, !touched)
        };
        self.lives.entry(event).or_insert(alive);
        alive
    }

    /// An access that finds its object freed is an error, and nothing else: its thread goes on, and memory
    /// holds what it would hold.
    ///
    /// # Soundness
    ///
    /// Nothing traps at such an access. On models that let later accesses overtake it, the `free` may depend
    /// on what its own thread does behind it; a thread that ended there would take that away.
    fn find_freed(&mut self, event: usize) {
        if self.exec[event] != Lit::FALSE {
            let life = self.life(event);
            let dead = self.circuit.and(self.exec[event], !life);
            if dead != Lit::FALSE {
                self.dead.push((event, dead));
            }
        }
    }

    /// An allocation takes only what is dead, if not memory of its own. What nobody frees is never dead.
    fn take_life(&mut self, event: usize) {
        let EventKind::Alloc { object, addr } = self.unrolled.events[event].kind else { return };
        if self.unrolled.values.constant(addr).is_some() {
            return;
        }
        let any = self.circuit.or_all(&self.at[event].clone());
        let base = Value::new(self.unrolled.objects[object].base);
        let own = self.word(addr).is(&mut self.circuit, base);
        let exec = self.exec[event];
        self.circuit.clause(&[!exec, own, any]);
        if self.at[event].is_empty() {
            return;
        }
        self.life(event);
        let found = self.lives[&event];
        self.circuit.clause(&[!exec, !any, !found]);
    }

    /// Content of a cell as its thread left it before an event.
    fn latest(&mut self, event: usize, cell: usize) -> Rc<Word> {
        let (thread, solo) = (self.unrolled.events[event].thread, self.unrolled.events[event].solo);
        let mut word = if solo { self.content(cell) } else { self.initial(cell) };
        for write in self.memory.writers(cell) {
            let other = &self.unrolled.events[write.0];
            if other.thread == thread && other.solo == solo && write.0 < event {
                word = self.overwrite(write, cell, word);
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
        for write in self.memory.writers(cell) {
            if self.unrolled.events[write.0].solo {
                word = self.overwrite(write, cell, word);
            }
        }
        self.initial.insert(cell, word.clone());
        word
    }

    /// Content of a cell when its object comes to be.
    fn content(&self, cell: usize) -> Rc<Word> {
        let cell = &self.ranges.cells[cell];
        let object = &self.unrolled.objects[cell.object];
        if cell.addr & LIFE != 0 {
            return Rc::new(Word::constant(Value::ONE));
        }
        let object = match object.global {
            Some(index) => memory::Object::of_global(&self.program.globals[index]),
            None => memory::Object::new(object.base, object.size, object.place, object.zeroed, None),
        };
        Rc::new(Word::constant(object.read(cell.addr - object.base, cell.ty())))
    }

    /// Content of a cell after a write that may go there.
    fn overwrite(&mut self, write: PartId, cell: usize, before: Rc<Word>) -> Rc<Word> {
        let mut word = before;
        let value = self.written_word(write);
        for (hit, lit) in self.hits(write.0, &self.ranges.plans[write.0].writes[write.1].cells) {
            if hit == cell {
                let test = self.circuit.and(self.exec[write.0], lit);
                word = Rc::new(Word::select(&mut self.circuit, test, &value, &word));
            }
        }
        word
    }

    /// What a write part writes.
    pub(super) fn written_word(&mut self, (event, index): PartId) -> Rc<Word> {
        let what = self.ranges.plans[event].writes[index].what;
        let (value, offset) = match (what, &self.unrolled.events[event].kind) {
            (What::Life, EventKind::Alloc { .. }) => return Rc::new(Word::constant(Value::ONE)),
            (What::Bytes { .. }, EventKind::Alloc { object, .. }) => {
                let zeroed = self.unrolled.objects[*object].zeroed;
                let fresh = if zeroed { Value::ZERO } else { Value::UNDEFINED.wrap(what.ty()) };
                return Rc::new(Word::constant(fresh));
            }
            (What::Bytes { offset, .. }, EventKind::Store { value, .. }) => (*value, offset),
            (What::Life, EventKind::Free { .. }) => return Rc::new(Word::constant(Value::ZERO)),
            _ => {
                self.impossible("a write by what does not write");
                return Rc::new(Word::constant(Value::ZERO));
            }
        };
        let word = self.word(value);
        let extract = PrimOp::Extract { low: 8 * offset as u8, ty: what.ty() };
        Rc::new(word::apply(&mut self.circuit, extract, &[&word]))
    }

    /// What a read part reads.
    pub(super) fn read_word(&mut self, (event, index): PartId) -> Rc<Word> {
        let what = self.ranges.plans[event].reads[index].what;
        let (value, offset) = match (what, &self.unrolled.events[event].kind) {
            (What::Bytes { offset, .. }, EventKind::Load { value, .. }) => (*value, offset),
            (What::Life, _) => {
                let mut word = Word::constant(Value::ZERO);
                match self.lives.get(&event) {
                    Some(&alive) => word.bits[0] = alive,
                    None => self.impossible("an access to an object that nobody looked after"),
                }
                return Rc::new(word);
            }
            (What::Bytes { .. }, _) => {
                self.impossible("a read by what does not read");
                return Rc::new(Word::constant(Value::ZERO));
            }
        };
        let word = self.word(value);
        let extract = PrimOp::Extract { low: 8 * offset as u8, ty: what.ty() };
        Rc::new(word::apply(&mut self.circuit, extract, &[&word]))
    }

    /// The writes that local reads of an event may read from, each with when: those of its own thread that
    /// no later one hides.
    pub(super) fn local_sources(&mut self, event: usize) -> Vec<(usize, usize, Lit)> {
        let mut found = Vec::new();
        let ranges = self.ranges.clone();
        let thread = self.unrolled.events[event].thread;
        for (index, part) in ranges.plans[event].reads.iter().enumerate() {
            if !self.memory.is_local((event, index)) {
                continue;
            }
            for (cell, at) in self.hits(event, &part.cells) {
                let mut open = at;
                for write in self.memory.writers(cell).into_iter().rev() {
                    let writer = &self.unrolled.events[write.0];
                    if writer.thread != thread || writer.solo || write.0 >= event {
                        continue;
                    }
                    let cells = &ranges.plans[write.0].writes[write.1].cells;
                    let hits = self.hits(write.0, cells);
                    let writes: Vec<Lit> = hits.iter().filter(|hit| hit.0 == cell).map(|hit| hit.1).collect();
                    let writes = self.circuit.or_all(&writes);
                    let writes = self.circuit.and(writes, self.exec[write.0]);
                    let lit = self.circuit.and(open, writes);
                    if lit != Lit::FALSE {
                        found.push((write.0, event, lit));
                    }
                    open = self.circuit.and(open, !writes);
                }
            }
        }
        found
    }

    /// Whether a turn of a loop is silent: values are equal, and memory is left as it was.
    fn still(&mut self, provided: &Stillness) -> Lit {
        let mut changes = Vec::new();
        for &(old, new) in &provided.equal {
            let (old, new) = (self.word(old), self.word(new));
            changes.push(self.differ(&old, &new));
        }
        for restored in &provided.restored {
            changes.extend(self.leaves_other_value(restored));
            if restored.stores.len() > 1 || restored.traced {
                let seen = self.circuit.var();
                self.seen.push((restored.clone(), seen));
                changes.push(seen);
            }
        }
        if !provided.optional.is_empty() {
            let left_in = self.circuit.var();
            self.left_in.push((provided.optional.clone(), left_in));
            changes.push(left_in);
        }
        !self.circuit.or_all(&changes)
    }

    /// When the stores of a turn to one address leave something else than the first of them found.
    fn leaves_other_value(&mut self, restored: &Restored) -> Vec<Lit> {
        let mut changes = Vec::new();
        for (first, opening) in restored.stores.iter().enumerate() {
            let earlier: Vec<Lit> =
                restored.stores[..first].iter().map(|stored| !self.exec[stored.store]).collect();
            let opens = self.circuit.and_all(&earlier);
            let opens = self.circuit.and(opens, self.exec[opening.store]);
            let Some(load) = opening.found else {
                changes.push(opens);
                continue;
            };
            for last in first..restored.stores.len() {
                let closing = restored.stores[last].store;
                let closes = self.is_last(restored, last);
                let (&EventKind::Load { value: read, .. }, &EventKind::Store { value: written, .. }) =
                    (&self.unrolled.events[load].kind, &self.unrolled.events[closing].kind)
                else {
                    self.impossible("a turn of a loop that stores without a load and a store");
                    continue;
                };
                let (read, written) = (self.word(read), self.word(written));
                let narrow = PrimOp::Convert(IntTy::unsigned(restored.bits));
                let read = word::apply(&mut self.circuit, narrow, &[&read]);
                let written = word::apply(&mut self.circuit, narrow, &[&written]);
                let differ = self.differ(&read, &written);
                changes.push(self.circuit.and_all(&[opens, closes, differ]));
            }
        }
        changes
    }

    /// When a store of a turn is executed and the last of those to its address.
    pub(super) fn is_last(&mut self, restored: &Restored, index: usize) -> Lit {
        let mut lits = vec![self.exec[restored.stores[index].store]];
        lits.extend(restored.stores[index + 1..].iter().map(|later| !self.exec[later.store]));
        self.circuit.and_all(&lits)
    }

    /// Chooses one access, at most. Silent turns that have it may go on.
    fn choose_access(&mut self) {
        let mut chosen: BTreeMap<usize, Lit> = BTreeMap::new();
        for (accesses, left_in) in std::mem::take(&mut self.left_in) {
            let mut clause = vec![!left_in];
            for access in accesses {
                clause.push(*chosen.entry(access).or_insert_with(|| self.circuit.var()));
            }
            self.circuit.clause(&clause);
        }
        let mut before = Lit::FALSE;
        for lit in chosen.into_values() {
            self.circuit.clause(&[!before, !lit]);
            before = self.circuit.or(before, lit);
        }
    }

    /// Whether two words differ in a bit, or in whether it is defined.
    fn differ(&mut self, a: &Word, b: &Word) -> Lit {
        let pairs = a.bits.iter().zip(&b.bits).chain(a.undef.iter().zip(&b.undef));
        let mut differ = Vec::new();
        for (&a, &b) in pairs {
            differ.push(self.circuit.xor(a, b));
        }
        self.circuit.or_all(&differ)
    }
}
