//! One thread runs: at most one action that others can notice, then on to the next such action.
//!
//! A step starts at a scheduling point: an access that other threads may compete for, an atomic block, a
//! call that a monitor watches. It carries that out and all that follows up to the next one. What makes an
//! access invisible to others is said in [`crate::step::access`].
//!
//! This is one of two interpreters of the bytecode. Both have operands, calls and returns from [`crate::code::registers`];
//! `rlx/fetch.rs` and `rlx/block.rs` share what computes and checks as well. A common one would need a method for every other
//! instruction, and no two of these have the same body. Here an instruction is carried out at once, on values; what it
//! looked at is noted, so that the step can be looked up; it may end the step before it, to be made again later, or take the
//! whole step back. There its operands may not be known yet, so that operations, conditions and accesses are put into a buffer to
//! be decided in another order. Even an addition differs: here it is watched for what it does to addresses, which have to
//! be recognised where objects are dropped and renamed; there it may have to wait, and nothing is dropped.
//!
//! # Soundness
//!
//! Instructions that touch only registers, memory that nobody else can reach, or the thread's own end of its store buffer commute with all steps of
//! other threads and enable or disable none, so running them at once loses nothing. A loop of them is cut after a while, and after each round in
//! which something was chosen: its states are stored and all threads get their turn. A call that a monitor watches begins with its first action and
//! ends with its last; so as few calls overlap as can be, and where such a history can be explained, so can those in which more do.
//!
//! An assumption that fails after nothing but reading takes that back: the thread waits before its first
//! read since it last did something that others can notice, and tries again when they have moved on.

use crate::code::{Instr, Src};
use crate::state::World;
use crate::state::buffer::Buffer;
use crate::step::machine::Machine;
use crate::step::recorder::{At, Note, Recorder};
use crate::step::script::Script;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fault::{Fault, Use};
use fencepost_lsl::program::{Fence, Order, Unmet};
use fencepost_lsl::value::Value;

/// Why a step leads to no state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A runtime error.
    Fault(Fault),
    /// The thread has to wait: for what others do, or until stores have reached memory.
    Blocked,
    /// The step is to be made again, and to end before its instruction with this number.
    Again(u32),
    /// The execution is ruled out: by an assumption of the user's, or because a primed operation would retry.
    Pruned,
    /// The program ends.
    Exited,
    /// The monitor has no explanation left.
    Unexplained,
    /// The engine cannot follow.
    Unsupported(String),
    /// A limit was reached.
    Limit(Reason),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// Instructions after which a thread that does nothing visible is interrupted.
const LOCAL_LIMIT: u32 = 1_000;
/// Instructions after which an atomic block is given up.
const ATOMIC_LIMIT: u32 = 1_000_000;
/// Instructions after which limits are looked at.
const POLLED: u32 = 256;

/// Whether a fence keeps stores before stores, and stores before loads.
fn orders(fence: Fence) -> (bool, bool) {
    let stores = fence.store_store || fence.order.releases();
    (stores, fence.store_load || fence.order == Order::SeqCst)
}

/// A step under way.
pub(crate) struct Run<'m, 'a, R> {
    pub(crate) machine: &'m mut Machine<'a>,
    pub(crate) world: &'m mut World,
    pub(crate) thread: usize,
    pub(crate) script: &'m mut Script,
    pub(crate) recorder: &'m mut R,
    /// The thread's store buffer, and whether it changed.
    pub(crate) buffer: Buffer,
    pub(crate) buffer_changed: bool,
    /// Whether the one visible action is still to be made.
    pub(crate) budget: bool,
    /// Whether something happened that others can notice.
    pub(crate) committed: bool,
    /// Whether no other thread is left.
    pub(crate) sole: bool,
    /// Atomic blocks under way.
    pub(crate) depth: u32,
    /// Since then: the first load of memory that others may change, by number of instruction.
    pub(crate) read: Option<u32>,
    pub(crate) began: bool,
    steps: u32,
}

/// What to do after an instruction.
pub(crate) enum Flow {
    Next,
    Goto(u32),
    /// Stop here, to go on from this position.
    Pause(u32),
}

impl<'m, 'a, R: Recorder> Run<'m, 'a, R> {
    /// A thread that does nothing itself while its buffer is flushed.
    pub(crate) fn flushing(
        machine: &'m mut Machine<'a>,
        world: &'m mut World,
        thread: usize,
        script: &'m mut Script,
        recorder: &'m mut R,
    ) -> Run<'m, 'a, R> {
        let buffer = machine.buffer(world, thread);
        let alone = machine.options.reductions.sole && !script.careful && machine.alone(world, thread);
        let sole = alone && buffer.drainable();
        Run {
            machine,
            world,
            thread,
            script,
            recorder,
            buffer,
            buffer_changed: false,
            budget: true,
            committed: false,
            sole,
            depth: 0,
            read: None,
            began: false,
            steps: 0,
        }
    }
}

/// Runs a step of a thread from one world to another, which is of use only after success.
pub(crate) fn run<R: Recorder>(
    machine: &mut Machine,
    before: &World,
    world: &mut World,
    thread: usize,
    script: &mut Script,
    recorder: &mut R,
) -> Result<(), Stop> {
    loop {
        world.copy(before);
        script.rewind();
        let runs_on = machine.options.reductions.sole && !script.careful && machine.alone(before, thread);
        match attempt(machine, world, thread, script, recorder) {
            Err(Stop::Again(pause)) => script.pause = Some(pause),
            Err(Stop::Blocked) if runs_on => (script.careful, script.pause) = (true, None),
            result => return result,
        }
    }
}

fn attempt<R: Recorder>(
    machine: &mut Machine,
    world: &mut World,
    thread: usize,
    script: &mut Script,
    recorder: &mut R,
) -> Result<(), Stop> {
    machine.load_thread(world.threads[thread]);
    machine.notes.passed.clear();
    // While a thread is the first and only one, what it accesses is not noted.
    let others = world.threads.len() > 1;
    machine.looks.begin(others && script.pause.is_none() && machine.options.reductions.remember);
    let mut run = Run::flushing(machine, world, thread, script, recorder);
    if run.sole {
        run.machine.looks.pure = false;
        run.drain()?;
    }
    run.go()?;
    run.settle();
    let Run { buffer, buffer_changed, .. } = run;
    world.threads[thread] = machine.pools.intern_thread(machine.code, &machine.thread, false);
    if buffer_changed {
        world.buffers[thread] = machine.pools.intern_buffer(&buffer);
    }
    Ok(())
}

impl<R: Recorder> Run<'_, '_, R> {
    #[inline]
    pub(crate) fn value(&self, src: Src) -> Value {
        self.machine.thread.get(self.machine.code, src)
    }

    pub(crate) fn address(&self, src: Src) -> Result<u64, Stop> {
        self.value(src).defined().ok_or(Stop::Fault(Fault::Undefined(Use::Address)))
    }

    fn condition(&self, src: Src) -> Result<bool, Stop> {
        let value = self.value(src).defined();
        value.map(|bits| bits != 0).ok_or(Stop::Fault(Fault::Undefined(Use::Condition)))
    }

    pub(crate) fn note(&mut self, note: Note) {
        let thread = &self.machine.thread;
        let at = At { thread: self.thread, pc: thread.pc(), frames: &thread.frames };
        self.recorder.note(at, note);
    }

    /// Something happens that others can notice.
    pub(crate) fn commit(&mut self) {
        (self.committed, self.read) = (true, None);
    }

    /// Notes a load of memory that others may change. False if the step ends before it.
    pub(crate) fn reads(&mut self) -> bool {
        self.read.get_or_insert(self.steps);
        self.script.pause != Some(self.steps)
    }

    /// Whether the visible action of this step may be made now. Not after something that must stay: should
    /// the action turn out to have to wait, the step is taken back.
    pub(crate) fn spend(&mut self) -> bool {
        self.may_wait() && std::mem::replace(&mut self.budget, false)
    }

    /// Whether the step can be taken back, to wait.
    pub(crate) fn may_wait(&self) -> bool {
        self.budget && !self.committed
    }

    /// Runs until a scheduling point.
    fn go(&mut self) -> Result<(), Stop> {
        let code = self.machine.code;
        loop {
            let pc = self.machine.thread.pc();
            self.steps += 1;
            if self.steps.is_multiple_of(POLLED) {
                self.machine.options.budget.spent().map_err(|exhausted| Stop::Limit(exhausted.into()))?;
                if self.machine.is_full() || self.machine.pools.nearly_full() {
                    return Err(Stop::Limit(Reason::Memory));
                }
            }
            let flow = match self.step(&code.instrs[pc as usize], pc) {
                Ok(flow) => flow,
                Err(stop) => {
                    if let Stop::Fault(fault) = &stop {
                        let pc = self.machine.thread.pc();
                        let at = At { thread: self.thread, pc, frames: &self.machine.thread.frames };
                        self.recorder.fail(at, fault, code.spans[pc as usize]);
                    }
                    return Err(stop);
                }
            };
            let thread = &mut self.machine.thread;
            match flow {
                Flow::Next => thread.goto(thread.pc() + 1),
                Flow::Goto(to) => {
                    let back = to <= thread.pc();
                    thread.goto(to);
                    // Of a call that is not yet made, the arguments are not kept.
                    let before_call = matches!(code.instrs[to as usize], Instr::Call { .. });
                    // Ways that choices open multiply with each round, unless states in between are told apart.
                    let long = self.steps > LOCAL_LIMIT || self.script.has_chosen();
                    if back && !before_call && self.depth == 0 && long {
                        return Ok(());
                    }
                    if self.steps > ATOMIC_LIMIT {
                        let what = format!("more than {ATOMIC_LIMIT} instructions at once");
                        return Err(Stop::Unsupported(what));
                    }
                }
                Flow::Pause(at) => {
                    thread.goto(at);
                    assert_eq!(self.depth, 0, "a step ends inside of an atomic block");
                    return Ok(());
                }
            }
        }
    }

    #[inline]
    fn step(&mut self, instr: &Instr, pc: u32) -> Result<Flow, Stop> {
        match instr {
            Instr::Op { dst, op, a, b } => {
                let x = self.value(*a);
                let y = if op.arity() == 1 { Value::ZERO } else { self.value(*b) };
                let value = op.eval(&[x, y][..op.arity()])?;
                self.machine.watch(self.world, |alike, forms, lay| {
                    alike.op(lay, *op, x, y, value);
                    forms.op(lay, *op, x, y, value)
                });
                self.machine.thread.set(*dst, value);
            }
            Instr::Load { dst, addr, ty, order, .. } => {
                let addr = self.address(*addr)?;
                match self.load(addr, *ty, *order)? {
                    Some(value) => self.machine.thread.set(*dst, value),
                    None => return Ok(Flow::Pause(pc)),
                }
            }
            Instr::Store { addr, value, ty, order } => {
                let (addr, value) = (self.address(*addr)?, self.value(*value));
                if !self.store(addr, value, *ty, *order)? {
                    return Ok(Flow::Pause(pc));
                }
            }
            Instr::Jump { to, leave } => {
                self.leave(*leave);
                return Ok(Flow::Goto(*to));
            }
            Instr::JumpIf { cond, to, leave, .. } => {
                if self.condition(*cond)? {
                    self.leave(*leave);
                    return Ok(Flow::Goto(*to));
                }
            }
            Instr::Call { proc, args, .. } => {
                let Machine { code, thread, .. } = &mut *self.machine;
                thread.call(code, *proc, args).map_err(Stop::Unsupported)?;
                return Ok(Flow::Goto(thread.pc()));
            }
            Instr::Return => self.machine.thread.leave(self.machine.code),
            Instr::Fence(fence) => {
                let (stores, loads) = orders(*fence);
                if self.drains(stores, loads) {
                    // A block waits as a whole, before it begins.
                    let waits = self.depth > 0 || self.may_wait();
                    return if waits { Err(Stop::Blocked) } else { Ok(Flow::Pause(pc)) };
                }
                self.fence(stores, loads);
                self.note(Note::Fence(*fence));
            }
            Instr::Enter => {
                if self.depth == 0 {
                    if !self.sole && !self.spend() {
                        return Ok(Flow::Pause(pc));
                    }
                    self.recorder.atomic(true);
                }
                self.depth += 1;
            }
            Instr::Leave => self.leave(1),
            Instr::Assert { cond, fault } => {
                self.machine.notes.asserted = true;
                if !self.condition(*cond)? {
                    return Err(self.machine.code.faults[*fault as usize].clone().into());
                }
            }
            Instr::Assume { cond, unmet } => {
                if !self.condition(*cond)? {
                    return self.turn_back(
                        pc,
                        match unmet {
                            Unmet::Waits => Stop::Blocked,
                            Unmet::RulesOut => Stop::Pruned,
                            Unmet::Exits => Stop::Exited,
                        },
                    );
                }
            }
            Instr::Prune { cond } => {
                if cond.map_or(Ok(true), |cond| self.condition(cond))? {
                    return self.turn_back(pc, Stop::Pruned);
                }
            }
            Instr::Within { base, result } => {
                let (base, result) = (self.address(*base)?, self.address(*result)?);
                self.machine.within(self.world, base, result)?;
            }
            Instr::Alloc { dst, size, site } => {
                let size = self.address(*size)?;
                match self.alloc(size, *site)? {
                    Some(addr) => self.machine.thread.set(*dst, Value::new(addr)),
                    None => return Ok(Flow::Pause(pc)),
                }
            }
            Instr::Free { addr } => {
                let addr = self.address(*addr)?;
                if addr != 0 && !self.free(addr)? {
                    return Ok(Flow::Pause(pc));
                }
            }
            Instr::Choose { dst, from } => {
                let value = self.choose(*from)?;
                // Choices of the test itself are its arguments, not events.
                if self.machine.thread.frames.len() > 1 {
                    self.note(Note::Choose(value));
                }
                self.machine.thread.set(*dst, value);
            }
            Instr::Begin { call } => return self.begin(*call, pc),
            Instr::End { call } => self.end(*call)?,
            Instr::Spawn { driver, args } => self.spawn(*driver, args)?,
            Instr::Launch { drivers } => self.launch(drivers)?,
            Instr::Slot(_) => {}
            Instr::Exit => return Ok(Flow::Pause(pc)),
        }
        Ok(Flow::Next)
    }

    /// An instruction is not passed. What was done stays done, for others to see: the thread stays where it last looked at
    /// memory, or here. It may find otherwise when it looks again later.
    fn turn_back(&self, pc: u32, stop: Stop) -> Result<Flow, Stop> {
        match self.read {
            _ if !self.committed || self.depth > 0 => Err(stop),
            Some(load) => Err(Stop::Again(load)),
            None => Ok(Flow::Pause(pc)),
        }
    }

    fn leave(&mut self, blocks: u32) {
        if blocks > 0 {
            self.depth -= blocks;
            if self.depth == 0 {
                self.recorder.atomic(false);
            }
        }
    }

    fn choose(&mut self, from: u32) -> Result<Value, Stop> {
        self.machine.looks.pure = false;
        match self.machine.code.alternatives(from).map_err(Stop::Unsupported)? {
            0 => Err(Stop::Pruned),
            count => Ok(self.machine.code.alternative(from, self.script.take(count))),
        }
    }
}
