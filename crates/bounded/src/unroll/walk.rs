//! The walk over the program that unrolls it: symbolic execution along all paths at once.

use super::fold::Known;
use super::spin::{self, Turn, Uses};
use super::{
    Branch, CallRecord, Event, EventKind, Failure, InstancePath, LoopInfo, Object, StackId, Start, Stillness,
    Stop, StopKind, ThreadCode, Unrolled, Unrolling,
};
use crate::guard::Guard;
use crate::ssa::{Check, Node, ValId, Values};
use crate::unroll::Bounds;
use fencepost_harness::operation::{Harness, OpId};
use fencepost_harness::question::Question;
use fencepost_harness::test::Test;
use fencepost_lsl::fault::{Fault, Use};
use fencepost_lsl::interp::{Frame, MAX_CALLS, MAX_THREADS, too_deep};
use fencepost_lsl::liveness::Liveness;
use fencepost_lsl::memory;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{
    Choice, Exchange, Label, Operand, Place, Proc, ProcId, Program, Stmt, StmtKind, Switch, address,
    continues,
};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// Registers of the procedure under way.
pub(super) type Env = Vec<ValId>;

/// A labelled block under way, and the ways that leave or repeat it.
struct Open {
    label: Label,
    breaks: Vec<(Guard, Env)>,
    continues: Vec<(Guard, Env)>,
}

/// A thread still to be unrolled.
struct Pending {
    /// What tells its loop instances from those of other threads, from one round to the next.
    path: InstancePath,
    start: Start,
    guard: Guard,
    calls: Vec<PendingCall>,
    solo: bool,
}

struct PendingCall {
    op: Option<(OpId, usize)>,
    primed: bool,
    proc: ProcId,
    args: Vec<ValId>,
}

pub(super) struct Walker<'a> {
    harness: &'a Harness,
    program: &'a Program,
    bounds: &'a Bounds,
    options: &'a Unrolling,
    /// What the program does that turns of loops have to mind.
    uses: Uses,
    out: Unrolled,
    pending: Vec<Pending>,
    known: Known,
    /// The thread under way.
    thread: usize,
    stops: Vec<Stop>,
    branches: Vec<Branch>,
    call: usize,
    primed: bool,
    solo: bool,
    atomic: Option<u32>,
    /// Whether the innermost atomic block is a compare-and-swap.
    exchange: Exchange,
    atomic_count: u32,
    /// Calls under way, innermost last.
    procs: Vec<ProcId>,
    stack: Option<StackId>,
    /// Where in the thread we are.
    path: InstancePath,
    /// Blocks under way in all procedures, innermost last. Labels are looked up from the end.
    open: Vec<Open>,
    /// Under which guard each value is already known to be defined.
    defined: FxHashMap<ValId, Guard>,
    /// Objects made so far, per place and size class.
    classes: FxHashMap<(Place, u32), u64>,
    /// What is live in procedures with loops.
    live: FxHashMap<ProcId, Liveness>,
    /// From where to look at each loop.
    turns: FxHashMap<(ProcId, Label), Rc<Turn>>,
}

type Result<T> = std::result::Result<T, Failure>;

/// Marks a recursive call in an instance path, where a loop has its repetitions.
const RECURSION: u32 = u32::MAX;

/// Marks a started thread in an instance path, between the spawn and its own statements.
const SPAWN: u32 = u32::MAX - 1;

impl<'a> Walker<'a> {
    pub(super) fn new(harness: &'a Harness, bounds: &'a Bounds, options: &'a Unrolling) -> Walker<'a> {
        let program = &harness.program;
        let mut known = Known::default();
        let mut objects = Vec::new();
        for (index, global) in program.globals.iter().enumerate() {
            known.add(memory::Object::of_global(global));
            objects.push(Object {
                base: global.addr,
                size: global.size,
                align: 1,
                place: Place::Global,
                zeroed: true,
                layout: global.layout,
                global: Some(index),
            });
        }
        Walker {
            harness,
            program,
            bounds,
            options,
            uses: Uses::of(&program.procs),
            out: Unrolled {
                values: Values::default(),
                threads: Vec::new(),
                events: Vec::new(),
                objects,
                stacks: Vec::new(),
                loops: Vec::new(),
                statements: 0,
            },
            pending: Vec::new(),
            known,
            thread: 0,
            stops: Vec::new(),
            branches: Vec::new(),
            call: 0,
            primed: false,
            solo: true,
            atomic: None,
            exchange: Exchange::default(),
            atomic_count: 0,
            procs: Vec::new(),
            stack: None,
            path: Vec::new(),
            open: Vec::new(),
            defined: FxHashMap::default(),
            classes: FxHashMap::default(),
            live: FxHashMap::default(),
            turns: FxHashMap::default(),
        }
    }

    pub(super) fn run(mut self, question: &Question) -> Result<Unrolled> {
        match question {
            Question::Test(test) => self.plan_test(test),
            Question::Client(_) => {
                let what = "clients with fixed arguments, which the explicit engine explores".into();
                return Err(Failure::Unsupported(what, Span::new(FileId(0), 0, 0)));
            }
            &Question::Main(proc) => {
                let call = PendingCall { op: None, primed: false, proc, args: Vec::new() };
                self.pending.push(Pending {
                    path: vec![0],
                    start: Start::Begin,
                    guard: Guard::TRUE,
                    calls: vec![call],
                    solo: true,
                });
            }
        }
        let last = self.pending.get(MAX_THREADS).and_then(|thread| thread.calls.first());
        if let Some(call) = last {
            let span = self.program.proc(call.proc).span;
            return Err(Failure::Unsupported(format!("more than {MAX_THREADS} threads"), span));
        }
        // Spawns add to the list while it is worked off.
        let mut next = 0;
        while next < self.pending.len() {
            self.run_thread(next)?;
            next += 1;
        }
        if self.options.reuse {
            self.offer_reuse();
        }
        Ok(self.out)
    }

    fn plan_test(&mut self, test: &Test) {
        let mut number = 0;
        let init =
            self.harness.init.map(|proc| PendingCall { op: None, primed: false, proc, args: Vec::new() });
        let mut first: Vec<PendingCall> = init.into_iter().collect();
        first.extend(test.initial.iter().map(|call| self.plan_call(call.op, call.primed, &mut number)));
        let (start, guard) = (Start::Begin, Guard::TRUE);
        self.pending.push(Pending { path: vec![0], start, guard, calls: first, solo: true });
        for (thread, calls) in test.threads.iter().enumerate() {
            let calls = calls.iter().map(|call| self.plan_call(call.op, call.primed, &mut number)).collect();
            let (path, start) = (vec![thread as u32 + 1], Start::AfterFirst);
            self.pending.push(Pending { path, start, guard, calls, solo: false });
        }
    }

    fn plan_call(&mut self, op: OpId, primed: bool, number: &mut usize) -> PendingCall {
        let operation = self.harness.op(op);
        let args = operation.inputs.iter().map(|input| match input.choices.as_slice() {
            [only] => self.out.values.make_const(*only),
            choices => self.out.values.make_choice(Choice::OneOf(choices.to_vec())),
        });
        let args = args.collect();
        *number += 1;
        PendingCall { op: Some((op, *number - 1)), primed, proc: operation.proc, args }
    }

    fn run_thread(&mut self, index: usize) -> Result<()> {
        let Pending { path, start, guard, calls, solo } = &mut self.pending[index];
        let (start, guard, calls, solo) = (*start, *guard, std::mem::take(calls), *solo);
        let root = std::mem::take(path);
        self.thread = index;
        self.solo = solo;
        self.defined.clear();
        let first_event = self.out.events.len();
        let mut records = Vec::new();
        for (number, call) in calls.into_iter().enumerate() {
            self.call = number;
            self.primed = call.primed;
            self.path = root.clone();
            self.path.push(number as u32);
            let before = self.out.events.len();
            let results = self.inline(call.proc, None, &call.args, guard)?;
            let PendingCall { op, proc, args, .. } = call;
            records.push(CallRecord { op, proc, args, results, events: before..self.out.events.len() });
        }
        self.out.threads.push(ThreadCode {
            start,
            events: first_event..self.out.events.len(),
            stops: std::mem::take(&mut self.stops),
            branches: std::mem::take(&mut self.branches),
            calls: records,
        });
        Ok(())
    }

    /// Runs a procedure and returns its results.
    fn inline(&mut self, id: ProcId, call: Option<Span>, args: &[ValId], guard: Guard) -> Result<Vec<ValId>> {
        let proc: &'a Proc = self.program.proc(id);
        let undefined = self.out.values.make_const(Value::UNDEFINED);
        let mut env = vec![undefined; proc.regs.len()];
        for (param, &arg) in proc.params.iter().zip(args) {
            env[param.index()] = arg;
        }
        let outer = self.stack;
        self.out.stacks.push((outer, Frame { proc: id, call }));
        self.stack = Some(StackId(self.out.stacks.len() as u32 - 1));
        self.procs.push(id);
        self.body(&proc.body, &mut env, guard)?;
        self.procs.pop();
        self.stack = outer;
        Ok(proc.results.iter().map(|reg| env[reg.index()]).collect())
    }

    /// Runs statements; returns the guard of falling through their end.
    fn body(&mut self, body: &'a [Stmt], env: &mut Env, guard: Guard) -> Result<Guard> {
        self.body_part(body, 0..body.len(), env, guard)
    }

    /// Runs some statements of a body; returns the guard of falling through the last of them.
    fn body_part(
        &mut self,
        body: &'a [Stmt],
        part: Range<usize>,
        env: &mut Env,
        mut guard: Guard,
    ) -> Result<Guard> {
        for (index, stmt) in body.iter().enumerate().take(part.end).skip(part.start) {
            if guard == Guard::FALSE {
                break;
            }
            self.out.statements += 1;
            if self.out.statements > self.options.max_statements {
                return Err(Failure::TooLong(stmt.span));
            }
            if self.out.statements.is_multiple_of(4096)
                && let Some(exhausted) = self.options.budget.exhausted()
            {
                return Err(Failure::Exhausted(exhausted));
            }
            self.path.push(index as u32);
            guard = self.stmt(stmt, env, guard)?;
            self.path.pop();
            if self.out.values.guards.is_full() {
                let what = "branches of a thread that depend on each other in millions of ways";
                return Err(Failure::Unsupported(what.into(), stmt.span));
            }
        }
        Ok(guard)
    }

    fn stmt(&mut self, stmt: &'a Stmt, env: &mut Env, guard: Guard) -> Result<Guard> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign { dst, op, args } => {
                let args: Vec<ValId> = args.iter().map(|arg| self.read(env, *arg)).collect();
                self.check_op(*op, &args, guard, span);
                env[dst.index()] = self.out.values.make_op(*op, &args);
            }
            StmtKind::Load { dst, addr, ty, order, failing } => {
                let addr = self.address(env, *addr, guard, span);
                let event = self.out.events.len();
                self.check_address(addr, ty.bytes(), false, event, guard, span);
                let folded = match self.out.values.constant(addr).and_then(Value::defined) {
                    Some(addr) if self.solo => self.known.load(&mut self.out.values, addr, *ty),
                    _ => None,
                };
                let value = folded.unwrap_or_else(|| self.out.values.make_load(event as u32));
                self.event(
                    EventKind::Load { addr, ty: *ty, order: *order, failing: *failing, value },
                    guard,
                    span,
                );
                env[dst.index()] = value;
            }
            StmtKind::Store { addr, value, ty, order } => {
                let addr = self.address(env, *addr, guard, span);
                let value = self.read(env, *value);
                self.check_address(addr, ty.bytes(), true, self.out.events.len(), guard, span);
                if self.solo {
                    match self.out.values.constant(addr).and_then(Value::defined) {
                        Some(addr) => self.known.store(&mut self.out.values, guard, addr, *ty, value),
                        None => self.known.lose(),
                    }
                }
                self.event(EventKind::Store { addr, ty: *ty, order: *order, value }, guard, span);
            }
            StmtKind::Fence(fence) => self.event(EventKind::Fence(*fence), guard, span),
            StmtKind::Slot(slot) => {
                for kind in &self.options.fences {
                    let switch = Switch { slot: *slot, kind: *kind };
                    if self.options.placed.as_ref().is_some_and(|on| !on.contains(&switch)) {
                        continue;
                    }
                    self.event(EventKind::Fence(kind.fence()), guard, span);
                    let event = self.out.events.last_mut().expect("pushed above");
                    event.switch = self.options.placed.is_none().then_some(switch);
                }
            }
            StmtKind::Atomic(body) => {
                let outermost = self.atomic.is_none();
                if outermost {
                    self.atomic_count += 1;
                    self.atomic = Some(self.atomic_count);
                }
                let outer = self.exchange;
                self.exchange = outer.within(body);
                let guard = self.body(body, env, guard)?;
                self.exchange = outer;
                if outermost {
                    self.atomic = None;
                }
                return Ok(guard);
            }
            StmtKind::Call { proc, args, results } => {
                let args: Vec<ValId> = args.iter().map(|arg| self.read(env, *arg)).collect();
                let values = self.call(*proc, &args, guard, span)?;
                for (result, value) in results.iter().zip(values) {
                    env[result.index()] = value;
                }
            }
            StmtKind::Block { label, body, retry } => {
                return if continues(body, *label) {
                    self.repeat(*label, body, *retry, env, guard, span)
                } else {
                    self.labelled(*label, body, env, guard)
                };
            }
            StmtKind::Break { label, when, predicated } => {
                return Ok(self.jump(*label, *when, env, guard, span, !predicated, false));
            }
            StmtKind::Continue { label, when } => {
                return Ok(self.jump(*label, *when, env, guard, span, true, true));
            }
            StmtKind::Assert { cond, fault } => {
                let cond = self.condition(env, *cond, guard, span);
                if self.out.values.truth(cond) != Guard::TRUE {
                    self.stop(StopKind::Assert(cond, fault.clone()), guard, span);
                    if let Some((index, limit)) = self.compared(cond) {
                        self.pass(env, Check::Below(limit), index);
                    }
                }
            }
            StmtKind::Assume { cond } => {
                let cond = self.condition(env, *cond, guard, span);
                // Waiting for something is a branch: what comes behind depends on it.
                if self.out.values.constant(cond).is_none() {
                    self.branches.push(Branch { guard, cond });
                }
                if self.out.values.truth(cond) != Guard::TRUE {
                    self.stop(StopKind::Assume(cond), guard, span);
                }
            }
            StmtKind::Within { base, result } => {
                let base = self.address(env, *base, guard, span);
                let result = self.address(env, *result, guard, span);
                if self.check_move(base, result, guard, span) {
                    self.pass(env, Check::With(base), result);
                }
            }
            StmtKind::Alloc { dst, size, align, zeroed, place, layout } => {
                let size = self.read(env, *size);
                let Some(size) = self.out.values.constant(size).and_then(Value::defined) else {
                    let what = "an allocation whose size is not known before the program runs";
                    return Err(Failure::Unsupported(what.into(), span));
                };
                let (zeroed, place, layout) = (*zeroed, *place, *layout);
                let object = Object { base: 0, size, align: *align, place, zeroed, layout, global: None };
                env[dst.index()] = self.alloc(object, guard, span)?;
            }
            StmtKind::Free { addr } => {
                let addr = self.address(env, *addr, guard, span);
                let truth = self.out.values.truth(addr);
                let guard = self.out.values.guards.and(guard, truth);
                if guard != Guard::FALSE {
                    self.stop(StopKind::Address(self.out.events.len()), guard, span);
                    self.event(EventKind::Free { addr }, guard, span);
                }
            }
            StmtKind::Choose { dst, from } => {
                let value = self.out.values.make_choice(from.clone());
                self.event(EventKind::Choose { value }, guard, span);
                env[dst.index()] = value;
            }
            StmtKind::Spawn { proc, args } => {
                let args = args.iter().map(|arg| self.read(env, *arg)).collect();
                let thread = self.pending.len();
                if thread >= MAX_THREADS {
                    return Err(Failure::Unsupported(format!("more than {MAX_THREADS} threads"), span));
                }
                let start = Start::Spawn(self.out.events.len());
                let calls = vec![PendingCall { op: None, primed: false, proc: *proc, args }];
                let mut path = self.path.clone();
                path.push(SPAWN);
                self.pending.push(Pending { path, start, guard, calls, solo: false });
                self.event(EventKind::Spawn(thread), guard, span);
                self.solo = false;
            }
        }
        Ok(guard)
    }

    fn read(&mut self, env: &Env, operand: Operand) -> ValId {
        match operand {
            Operand::Reg(reg) => env[reg.index()],
            Operand::Const(value) => self.out.values.make_const(value),
        }
    }

    fn address(&mut self, env: &Env, operand: Operand, guard: Guard, span: Span) -> ValId {
        let addr = self.read(env, operand);
        self.require_defined(addr, Use::Address, guard, span);
        addr
    }

    fn condition(&mut self, env: &Env, operand: Operand, guard: Guard, span: Span) -> ValId {
        let cond = self.read(env, operand);
        self.require_defined(cond, Use::Condition, guard, span);
        cond
    }

    fn event(&mut self, kind: EventKind, guard: Guard, span: Span) {
        self.out.events.push(Event {
            thread: self.thread,
            kind,
            guard,
            stops: self.stops.len(),
            branches: self.branches.len(),
            call: self.call,
            atomic: self.atomic,
            exchange: self.exchange,
            span,
            stack: self.stack.expect("events happen in calls"),
            solo: self.solo,
            switch: None,
        });
    }

    fn stop(&mut self, kind: StopKind, guard: Guard, span: Span) {
        let stack = self.stack.expect("stops happen in calls");
        self.stops.push(Stop { guard, kind, span, stack, call: self.call, atomic: self.atomic });
    }

    fn require_defined(&mut self, value: ValId, what: Use, guard: Guard, span: Span) {
        if !self.out.values.may_be_undefined(value) {
            return;
        }
        let before = self.defined.get(&value).copied().unwrap_or(Guard::FALSE);
        if !self.out.values.guards.implies(guard, before) {
            self.stop(StopKind::Undefined(value, what), guard, span);
            let after = self.out.values.guards.or(before, guard);
            self.defined.insert(value, after);
        }
    }

    fn check_op(&mut self, op: PrimOp, args: &[ValId], guard: Guard, span: Span) {
        if op.needs_defined() {
            for &arg in args {
                self.require_defined(arg, Use::Arithmetic, guard, span);
            }
        }
        let second = args.get(1).and_then(|&arg| self.out.values.constant(arg)).and_then(Value::defined);
        match op {
            PrimOp::Bin(BinOp::Div | BinOp::Rem, ty) => {
                if second.is_none_or(|divisor| divisor == 0) {
                    self.stop(StopKind::Assert(args[1], Fault::DivisionByZero), guard, span);
                }
                if ty.signed && second.is_none_or(|divisor| divisor == u64::MAX) {
                    let values = &mut self.out.values;
                    let mut differs = |value: ValId, from: u64| {
                        let from = values.make_const(Value::new(from));
                        values.make_op(PrimOp::Cmp(CmpOp::Ne, false), &[value, from])
                    };
                    let (x, y) = (differs(args[0], ty.least()), differs(args[1], u64::MAX));
                    let fits = values.make_op(PrimOp::Bin(BinOp::Or, IntTy::U64), &[x, y]);
                    if values.constant(fits) != Some(Value::ONE) {
                        self.stop(StopKind::Assert(fits, Fault::DivisionOverflow), guard, span);
                    }
                }
            }
            PrimOp::Bin(BinOp::Shl | BinOp::Shr, ty) => {
                self.require_defined(args[1], Use::Arithmetic, guard, span);
                let width = ty.bits as u64;
                if second.is_none_or(|count| count >= width) {
                    self.stop(StopKind::Below(args[1], width, Fault::ShiftCount), guard, span);
                }
            }
            _ => {}
        }
    }

    /// Adds a stop for an access, unless its address is known to be good.
    fn check_address(&mut self, addr: ValId, size: u64, store: bool, event: usize, guard: Guard, span: Span) {
        let good = self.out.values.constant(addr).and_then(Value::defined).is_some_and(|addr| {
            let holds = |object: &&Object| memory::covers((object.base, object.size), (addr, size));
            let constant = |index: usize| self.program.globals[index].constant;
            self.out.objects.iter().find(holds).is_some_and(|object| {
                object.place != Place::Heap && !(store && object.global.is_some_and(constant))
            })
        });
        if !good {
            self.stop(StopKind::Address(event), guard, span);
        }
    }

    /// Adds a stop for arithmetic on a pointer, unless it is known to stay with its object; says whether it did.
    fn check_move(&mut self, base: ValId, result: ValId, guard: Guard, span: Span) -> bool {
        let constant = |value: ValId| self.out.values.constant(value).and_then(Value::defined);
        let good = constant(base).zip(constant(result)).is_some_and(|(base, result)| {
            let belongs = |object: &Object, addr| address::belongs((object.base, object.size), addr);
            let owner = self.out.objects.iter().find(|object| belongs(object, base));
            owner.is_some_and(|object| belongs(object, result))
        });
        let open = !good && base != result;
        if open {
            self.stop(StopKind::Within(base, result), guard, span);
        }
        open
    }

    /// The value and the number, if a condition is that the value is less than the number.
    fn compared(&self, cond: ValId) -> Option<(ValId, u64)> {
        let Node::Op(PrimOp::Cmp(CmpOp::Lt, false), args) = self.out.values.node(cond) else { return None };
        Some((args[0], self.out.values.constant(args[1])?.defined()?))
    }

    /// A value has passed a check: the registers that hold it know that from here on.
    fn pass(&mut self, env: &mut Env, check: Check, value: ValId) {
        let checked = self.out.values.make_checked(check, value);
        env.iter_mut().filter(|held| **held == value).for_each(|held| *held = checked);
    }

    /// Places a new object. Objects of one size class lie at equal distances from an aligned start, so
    /// that the addresses of a class differ in as few bits as there can be.
    fn alloc(&mut self, mut object: Object, guard: Guard, span: Span) -> Result<ValId> {
        /// The smallest distance between objects, as a power of two.
        const LEAST: u32 = 10;
        let Object { size, align, place, zeroed, layout, .. } = object;
        // Few sizes of local variables differ much; regions are aligned to their size.
        let (area, region) = match place {
            Place::Stack => (address::STACK..address::HEAP, 0x100_0000),
            _ => (address::HEAP..address::END, 0x400_0000),
        };
        let full = || Failure::Unsupported("more memory than there is".into(), span);
        // From the start of its room to the end of its margin.
        let offset = address::place(0, align);
        let end = size.checked_add(offset + address::MARGIN).filter(|end| *end <= region).ok_or_else(full)?;
        let class = end.next_power_of_two().trailing_zeros().max(LEAST);
        let start = area.start + (class - LEAST) as u64 * region;
        let next = self.classes.entry((place, class)).or_insert(0);
        let base = start + (*next << class) + offset;
        *next += 1;
        if (*next << class) > region || start + region > area.end {
            return Err(full());
        }
        object.base = base;
        // Alone, only what the thread itself has freed can come back.
        let freed = |event: &Event| matches!(event.kind, EventKind::Free { .. });
        let reused =
            self.options.reuse && place == Place::Heap && (!self.solo || self.out.events.iter().any(freed));
        match (self.solo, reused) {
            (true, true) => self.known.lose(),
            (true, false) => self.known.add(memory::Object::new(base, size, place, zeroed, layout)),
            (false, _) => {}
        }
        // What else it may be is filled in when all objects are known.
        let addr = match reused {
            true => self.out.values.make_choice(Choice::OneOf(vec![Value::new(base)])),
            false => self.out.values.make_const(Value::new(base)),
        };
        self.event(EventKind::Alloc { object: self.out.objects.len(), addr }, guard, span);
        self.out.objects.push(object);
        Ok(addr)
    }

    /// Lets allocations return what other heap objects of the same size leave behind. An object that the
    /// same thread makes later cannot have been freed before.
    fn offer_reuse(&mut self) {
        let made: Vec<(usize, usize, ValId)> = self
            .out
            .events
            .iter()
            .enumerate()
            .filter_map(|(event, e)| match e.kind {
                EventKind::Alloc { object, addr } => Some((event, object, addr)),
                _ => None,
            })
            .collect();
        for &(event, object, addr) in &made {
            let &Node::Choice(number) = self.out.values.node(addr) else { continue };
            let fits = |&&(other_event, other, _): &&(usize, usize, ValId)| {
                let (a, b) = (&self.out.objects[object], &self.out.objects[other]);
                other != object
                    && b.place == Place::Heap
                    && (a.size, a.align) == (b.size, b.align)
                    && !self.out.program_order(event, other_event)
            };
            let mut bases = vec![Value::new(self.out.objects[object].base)];
            bases.extend(
                made.iter().filter(fits).map(|(_, other, _)| Value::new(self.out.objects[*other].base)),
            );
            self.out.values.choices[number as usize] = Choice::OneOf(bases);
        }
    }

    /// Takes a jump where its condition holds; returns the guard of not taking it.
    #[allow(clippy::too_many_arguments)] // Two callers, a line each.
    fn jump(
        &mut self,
        label: Label,
        when: Option<Operand>,
        env: &Env,
        guard: Guard,
        span: Span,
        branch: bool,
        repeat: bool,
    ) -> Guard {
        let taken = match when {
            None => guard,
            Some(when) => {
                let cond = self.condition(env, when, guard, span);
                if branch && self.out.values.constant(cond).is_none() {
                    self.branches.push(Branch { guard, cond });
                }
                let truth = self.out.values.truth(cond);
                self.out.values.guards.and(guard, truth)
            }
        };
        if taken != Guard::FALSE {
            let open = self.open.iter_mut().rev().find(|open| open.label == label);
            let open = open.expect("jumps lead to blocks under way");
            let list = if repeat { &mut open.continues } else { &mut open.breaks };
            list.push((taken, env.clone()));
        }
        self.out.values.guards.and_not(guard, taken)
    }

    /// Joins ways that meet: the guard of either, and the registers each brings.
    fn join(&mut self, ways: Vec<(Guard, Env)>) -> Option<(Guard, Env)> {
        let mut ways = ways.into_iter();
        let (mut guard, mut env) = ways.next()?;
        for (other, other_env) in ways {
            for (reg, value) in env.iter_mut().zip(other_env) {
                *reg = self.out.values.make_select(other, value, *reg);
            }
            guard = self.out.values.guards.or(guard, other);
        }
        Some((guard, env))
    }

    fn labelled(&mut self, label: Label, body: &'a [Stmt], env: &mut Env, guard: Guard) -> Result<Guard> {
        self.open.push(Open { label, breaks: Vec::new(), continues: Vec::new() });
        let through = self.body(body, env, guard)?;
        let mut ways = self.open.pop().expect("pushed above").breaks;
        if through != Guard::FALSE {
            ways.push((through, std::mem::take(env)));
        }
        Ok(match self.join(ways) {
            Some((guard, joined)) => {
                *env = joined;
                guard
            }
            None => Guard::FALSE,
        })
    }

    /// Unrolls a loop, turn by turn: from its turning point once around. Silent turns are cut, and turns beyond
    /// the bound are not made.
    fn repeat(
        &mut self,
        label: Label,
        body: &'a [Stmt],
        retry: bool,
        env: &mut Env,
        guard: Guard,
        span: Span,
    ) -> Result<Guard> {
        let instance = self.path.clone();
        let restricted = self.primed && retry;
        let bound = if restricted { 1 } else { self.bounds.get(&instance).copied().unwrap_or(1) };
        // A primed operation ends where it would start over.
        let turn = (self.options.reduce_spins && !restricted).then(|| self.turn(label, body));
        let turning_point = turn.as_ref().map_or(0, |turn| turn.position);
        let mut exits: Vec<(Guard, Env)> = Vec::new();
        // The ways that were cut or exceed the bound, with the registers of the last of them.
        let mut cut: Option<(Guard, Env)> = None;
        let mut head = (guard, std::mem::take(env));
        let mut before: Option<spin::Visit> = None;
        let (mut used, mut waits, mut spare, mut bounded) = (0, false, false, false);
        for repetition in 0.. {
            self.open.push(Open { label, breaks: Vec::new(), continues: Vec::new() });
            self.path.push(repetition);
            let (entered, mut regs) = head;
            let mut through = self.body_part(body, 0..turning_point, &mut regs, entered)?;
            if let Some(before) = before.take().filter(|_| through != Guard::FALSE) {
                let mut stopped = Guard::FALSE;
                let allowed = (self.options.leeway, self.uses);
                let silence = turn.as_ref().and_then(|turn| {
                    spin::silence(&mut self.out, &turn.live, &before, (through, &regs), allowed)
                });
                let mut decided = false;
                if let Some(spin::Silence { when, provided }) = silence {
                    decided = true;
                    waits |= used == 0;
                    spare |= !provided.optional.is_empty();
                    if provided == Stillness::default() {
                        stopped = when;
                    }
                    self.stop(StopKind::Spin(provided), when, span);
                }
                let rest = self.out.values.guards.and_not(through, stopped);
                // Where no branch decides, repeating is free.
                let forced = !decided && rest == before.guard;
                used += (!forced && rest != Guard::FALSE) as u32;
                if used >= bound && !forced && rest != Guard::FALSE {
                    let stop = match restricted {
                        true => StopKind::Restricted,
                        false => StopKind::Bound(instance.clone()),
                    };
                    self.stop(stop, rest, span);
                    stopped = through;
                    bounded = !restricted;
                }
                if stopped != Guard::FALSE {
                    let all = cut.map_or(stopped, |(other, _)| self.out.values.guards.or(other, stopped));
                    cut = Some((all, regs.clone()));
                    through = self.out.values.guards.and_not(through, stopped);
                }
            }
            let (events, values) = (self.out.events.len(), self.out.values.len());
            before = Some(spin::Visit { guard: through, env: regs.clone(), events, values });
            through = self.body_part(body, turning_point..body.len(), &mut regs, through)?;
            self.path.pop();
            let Open { breaks, continues, .. } = self.open.pop().expect("pushed above");
            exits.extend(breaks);
            if through != Guard::FALSE {
                exits.push((through, regs));
            }
            match self.join(continues) {
                Some(next) => head = next,
                None => break,
            }
        }
        let spin = waits && used <= 1 + spare as u32;
        if used > 0 || spin {
            let bound = used.max(1);
            self.out.loops.push(LoopInfo { instance, span, bound, spin, bounded, recursion: false });
        }
        exits.extend(cut);
        Ok(self.leave(exits, env))
    }

    /// From where to look at a loop of the procedure under way.
    fn turn(&mut self, label: Label, body: &[Stmt]) -> Rc<Turn> {
        let id = *self.procs.last().expect("statements stand in procedures");
        let proc = self.program.proc(id);
        let live = &mut self.live;
        let turn = self.turns.entry((id, label)).or_insert_with(|| {
            let liveness = live.entry(id).or_insert_with(|| Liveness::of(proc));
            Rc::new(Turn::of(proc, liveness, label, body))
        });
        turn.clone()
    }

    /// Joins the ways out of a loop. The first default of the selections is the way that exceeds the
    /// bound, if there is one: its values are never used.
    fn leave(&mut self, mut exits: Vec<(Guard, Env)>, env: &mut Env) -> Guard {
        exits.reverse();
        match self.join(exits) {
            Some((guard, joined)) => {
                *env = joined;
                guard
            }
            None => Guard::FALSE,
        }
    }

    /// Inlines a call, unless it is a recursion that its bound does not let in.
    fn call(&mut self, proc: ProcId, args: &[ValId], guard: Guard, span: Span) -> Result<Vec<ValId>> {
        let recursive = self.procs.contains(&proc);
        let mut instance = self.path.clone();
        instance.push(RECURSION);
        if recursive && guard != Guard::TRUE && !self.bounds.contains_key(&instance) {
            self.stop(StopKind::Bound(instance.clone()), guard, span);
            let bound = self.procs.iter().filter(|id| **id == proc).count() as u32;
            self.out.loops.push(LoopInfo {
                instance,
                span,
                bound,
                spin: false,
                bounded: true,
                recursion: true,
            });
            let undefined = self.out.values.make_const(Value::UNDEFINED);
            return Ok(vec![undefined; self.program.proc(proc).results.len()]);
        }
        // Deep recursion on known values ends in the statement limit, or here before our own stack does.
        if self.procs.len() >= MAX_CALLS {
            return Err(Failure::Unsupported(too_deep(), span));
        }
        self.inline(proc, Some(span), args, guard)
    }
}
