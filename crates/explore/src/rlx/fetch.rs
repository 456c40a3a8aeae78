//! Fetching: a thread puts its instructions into its buffer, in program order, as far as it can.
//!
//! Other threads cannot notice when a thread fetches, so it is done at once. Where a branch is not decided yet, a
//! model that speculates goes both ways; a wrong guess dies when the branch is decided, without having stored
//! anything. The other models wait: nothing behind the branch could be executed before the load that decides it.
//! Guessing at once makes two states of every one; [`super::Options::lazy`] waits here too, and has the search guess
//! only where the next step is a load behind the branch.
//!
//! Operands, calls and returns are those of all interpreters of the bytecode ([`crate::code::registers`]), and what computes or
//! checks is read as in [`super::block`]. The rest is not carried out here but put off, so there is nothing to share with
//! [`crate::step::run`]: a load has no value yet, a branch may go both ways, and one world becomes several.
//!
//! # Soundness
//!
//! *Rounds that change nothing.* A round of a loop that stores nothing and leaves all registers that matter as
//! they were is left out: without its loads, the same execution is one that the rules allow, since they were
//! only in the way, and it takes the loop one time less. Whether an atomic block in the round stores is
//! foretold when it is fetched.
//!
//! *Rounds under way.* On a model that speculates, the next round of a loop is not fetched while too many
//! earlier ones are under way ([`super::Options::rounds`]). Executions in which a load overtakes more rounds
//! are missed; a thread that had to wait is marked, and no exploration with a complete execution of such a
//! thread says that a program holds.

use super::info::Way;
use super::machine::{Machine, Stop, condition};
use super::rules::Kinds;
use super::state::{Opd, What, World};
use crate::code::registers::Registers;
use crate::code::{Instr, Src, register, small};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::Order;
use fencepost_lsl::value::Value;

/// How fetching an instruction went.
enum Fetch {
    /// On to the next.
    Go,
    /// It has to wait.
    Wait,
    /// It goes on in each of these worlds.
    Fork(Vec<World>),
}

/// Instructions fetched at once after which a thread is given up.
const MAX_FETCH: u32 = 100_000;

impl Machine<'_> {
    /// Lets a thread go on by itself as far as it can; the worlds it may then be in.
    pub(super) fn advance(&self, world: World, thread: usize, worlds: &mut Vec<World>) -> Result<(), Stop> {
        let mut open = vec![world];
        'worlds: while let Some(mut world) = open.pop() {
            match self.settle(&mut world, thread) {
                Err(Stop::Dead) => continue,
                Err(Stop::Stuck) => {
                    self.get_stuck(world, thread, worlds);
                    continue;
                }
                other => other?,
            }
            for count in 0.. {
                if world.threads[thread].pending.last().is_some_and(|p| matches!(p.what, What::Fault(_))) {
                    break;
                }
                if count > MAX_FETCH {
                    let at = self.at(world.threads[thread].regs.pc());
                    let what = format!("more than {MAX_FETCH} instructions at once, at {at}");
                    return Err(Stop::Unsupported(what));
                }
                match self.fetch(&mut world, thread) {
                    Ok(Fetch::Go) => {}
                    Ok(Fetch::Wait) => break,
                    Ok(Fetch::Fork(forks)) => {
                        open.extend(forks);
                        continue 'worlds;
                    }
                    Err(Stop::Dead) => continue 'worlds,
                    Err(Stop::Stuck) => {
                        self.get_stuck(world, thread, worlds);
                        continue 'worlds;
                    }
                    Err(stop) => return Err(stop),
                }
            }
            self.forget(&mut world, thread);
            worlds.push(world);
        }
        Ok(())
    }

    /// A thread waits for ever. The others go on: what they do is to be seen, see [`super::alone`].
    fn get_stuck(&self, mut world: World, thread: usize, worlds: &mut Vec<World>) {
        if self.options.alone && world.threads.len() > 1 {
            world.thread(thread).give_up();
            worlds.push(world);
        }
    }

    /// Registers that do not matter any more become undefined, so that states differ only in what does.
    fn forget(&self, world: &mut World, thread: usize) {
        let state = world.thread(thread);
        let Registers { frames, values } = &mut state.regs;
        let ends = frames.iter().skip(1).map(|frame| frame.base as usize).chain([values.len()]);
        for (frame, end) in frames.iter().zip(ends.collect::<Vec<_>>()) {
            let mut live = self.code.live[frame.pc as usize].iter().peekable();
            let ends = matches!(self.code.instrs[frame.pc as usize], Instr::Exit);
            for (reg, opd) in values[frame.base as usize..end].iter_mut().enumerate() {
                let lives = live.next_if(|live| **live as usize == reg).is_some();
                // What a driver has at its end is observed.
                if !lives && !ends && self.code.proc_at(frame.pc).proc.is_some() {
                    *opd = Opd::UNDEFINED;
                }
            }
        }
        let pure = frames.iter().any(|frame| self.info.in_pure(frame.pc));
        state.changed &= pure;
    }

    fn fetch(&self, world: &mut World, thread: usize) -> Result<Fetch, Stop> {
        let code = self.code;
        let state = world.thread(thread);
        if state.pending.len() >= self.options.buffer {
            let why = format!("more than {} instructions of a thread under way", self.options.buffer);
            return Err(Stop::Unsupported(why));
        }
        let pc = state.regs.pc();
        if self.info.is_head(pc) {
            state.changed = false;
        }
        let value = |src: Src| state.regs.get(code, src);
        let instr = &code.instrs[pc as usize];
        match instr {
            Instr::Load { order: Order::Ghost, .. } | Instr::Store { order: Order::Ghost, .. } => {
                return Err(Stop::Unsupported("ghost state, with execution buffers".into()));
            }
            Instr::Op { dst, op, a, b } => {
                let (a, b) = (value(*a), if op.arity() == 1 { value(*a) } else { value(*b) });
                let result = match (a.known(), b.known()) {
                    (Some(x), Some(y)) => match op.eval(&[x, y][..op.arity()]) {
                        Ok(value) => Opd::Known(value),
                        Err(fault) => return self.fetch_fault(world, thread, fault),
                    },
                    _ if *op == PrimOp::Copy => a,
                    _ => Opd::Of(state.push(pc, What::Op { op: *op, a, b }), 0),
                };
                state.regs.set(*dst, result);
            }
            Instr::Load { dst, addr, ty, order, .. } => {
                let addr = value(*addr);
                if let Some(result) = self.load_private(world, thread, addr, *ty)? {
                    world.thread(thread).regs.set(*dst, result);
                } else {
                    let state = world.thread(thread);
                    let at = state.push(pc, What::Load { addr, ty: *ty });
                    state.regs.set(*dst, Opd::Of(at, 0));
                    if order.acquires() {
                        state.push(pc, What::Fence(Kinds::ACQUIRE));
                    }
                    return self.fetched_access(world, thread);
                }
            }
            Instr::Store { addr, value: stored, ty, order } => {
                let (addr, value) = (value(*addr), value(*stored));
                if !self.store_private(world, thread, addr, value, *ty)? {
                    let state = world.thread(thread);
                    state.changed = true;
                    if order.releases() {
                        state.push(pc, What::Fence(Kinds::RELEASE));
                    }
                    state.push(pc, What::Store { addr, value, ty: *ty });
                    if *order == Order::SeqCst {
                        state.push(pc, What::Fence(Kinds::STORES_BEFORE_LOADS));
                    }
                    return self.fetched_access(world, thread);
                }
            }
            Instr::Fence(fence) => {
                state.push(pc, What::Fence(Kinds::of(*fence)));
                return self.fetched_access(world, thread);
            }
            Instr::Enter => return self.fetch_block(world, thread, pc),
            Instr::Leave | Instr::Slot(_) => {}
            Instr::Jump { to, .. } => return self.jump(world, thread, pc, *to, None),
            Instr::JumpIf { cond, to, .. } => {
                let cond = value(*cond);
                return self.branch(world, thread, pc, cond, *to);
            }
            Instr::Call { proc, args, .. } => {
                let deep = |why: String| Stop::Unsupported(format!("{why} at {}", self.at(pc)));
                state.regs.call(code, *proc, args).map_err(deep)?;
                return Ok(Fetch::Go);
            }
            Instr::Return => {
                state.regs.leave(code);
                state.regs.goto(state.regs.pc() + 1);
                return Ok(Fetch::Go);
            }
            // They may be decided already.
            Instr::Prune { .. } | Instr::Assume { .. } | Instr::Assert { .. } | Instr::Within { .. } => {
                if let Some(what) = What::of(instr, value) {
                    state.push(pc, what);
                }
                return self.fetched_access(world, thread);
            }
            Instr::Alloc { dst, size, site } => {
                let Some(size) = value(*size).known().and_then(Value::defined) else {
                    let why = format!("an object whose size has to be loaded, at {}", self.at(pc));
                    return Err(Stop::Unsupported(why));
                };
                let addr = self.alloc(world, thread, size, *site)?;
                world.thread(thread).regs.set(*dst, Value::new(addr).into());
            }
            Instr::Free { .. } => {
                return Err(Stop::Unsupported(format!("free at {} with execution buffers", self.at(pc))));
            }
            Instr::Choose { dst, from } => {
                let count = code.alternatives(*from).map_err(Stop::Unsupported)?;
                state.regs.goto(pc + 1);
                let fork = |which: u32| {
                    let mut fork = world.clone();
                    fork.thread(thread).regs.set(*dst, code.alternative(*from, which).into());
                    fork
                };
                return Ok(Fetch::Fork((0..count).map(fork).collect()));
            }
            Instr::Begin { .. } | Instr::End { .. } => {}
            Instr::Spawn { driver, args } => {
                let args = args.iter().map(|arg| value(*arg)).collect();
                state.push(pc, What::Spawn { driver: *driver, args });
            }
            Instr::Launch { .. } => _ = state.push(pc, What::Launch),
            Instr::Exit => return Ok(Fetch::Wait),
        }
        world.thread(thread).regs.goto(pc + 1);
        Ok(Fetch::Go)
    }

    /// Passes an instruction that may matter to nothing, or be an error already.
    fn fetched_access(&self, world: &mut World, thread: usize) -> Result<Fetch, Stop> {
        let state = world.thread(thread);
        state.regs.goto(state.regs.pc() + 1);
        self.settle(world, thread)?;
        Ok(Fetch::Go)
    }

    fn fetch_fault(&self, world: &mut World, thread: usize, fault: Fault) -> Result<Fetch, Stop> {
        let state = world.thread(thread);
        let pc = state.regs.pc();
        let at = state.push(pc, What::Fault(fault.clone())) as usize;
        self.fail(world, thread, at, fault)?;
        Ok(Fetch::Wait)
    }

    fn branch(&self, world: &mut World, thread: usize, pc: u32, cond: Opd, to: u32) -> Result<Fetch, Stop> {
        match cond.known().map(condition) {
            Some(Ok(true)) => self.jump(world, thread, pc, to, None),
            Some(Ok(false)) => self.jump(world, thread, pc, pc + 1, None),
            Some(Err(fault)) => self.fetch_fault(world, thread, fault),
            None if !self.rules.speculates || self.options.lazy || self.alone(world, thread) => {
                Ok(Fetch::Wait)
            }
            None => match self.guess(world, thread, pc, cond, to)? {
                Some(forks) => Ok(Fetch::Fork(forks)),
                None => Ok(Fetch::Wait),
            },
        }
    }

    /// Both ways to go on from a branch that is not decided. None if one of them cannot be fetched yet: then
    /// neither is.
    fn guess(
        &self,
        world: &mut World,
        thread: usize,
        pc: u32,
        cond: Opd,
        to: u32,
    ) -> Result<Option<Vec<World>>, Stop> {
        let mut forks = Vec::new();
        for (taken, to) in [(true, to), (false, pc + 1)] {
            let mut fork = world.clone();
            match self.jump(&mut fork, thread, pc, to, Some(What::Branch { cond, taken })) {
                Ok(Fetch::Go) => forks.push(fork),
                Ok(_) => {
                    world.thread(thread).held = true;
                    return Ok(None);
                }
                Err(Stop::Dead | Stop::Stuck) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(Some(forks))
    }

    /// Worlds in which a thread has gone on behind a branch that is not decided, by guessing once; none if it
    /// does not wait at one.
    pub(super) fn speculate(&self, world: &World, thread: usize) -> Result<Vec<World>, Stop> {
        let state = &world.threads[thread];
        let mut worlds = Vec::new();
        if state.stuck {
            return Ok(worlds);
        }
        let pc = state.regs.pc();
        let Instr::JumpIf { cond, to, .. } = &self.code.instrs[pc as usize] else { return Ok(worlds) };
        let fails = state.pending.last().is_some_and(|pending| matches!(pending.what, What::Fault(_)));
        if fails {
            return Ok(worlds);
        }
        let cond = state.regs.get(self.code, *cond);
        if cond.known().is_none() {
            let (mut held, to) = (world.clone(), *to);
            match self.guess(&mut held, thread, pc, cond, to)? {
                Some(forks) => {
                    for fork in forks {
                        self.advance(fork, thread, &mut worlds)?;
                    }
                    worlds.retain(|world| !world.threads[thread].stuck);
                }
                // Once it is known that there is more, there is nothing to add.
                None if !state.held => worlds.push(held),
                None => {}
            }
        }
        Ok(worlds)
    }

    /// Goes on elsewhere, behind a guess if there is one. Going back starts the next round of a loop.
    fn jump(
        &self,
        world: &mut World,
        thread: usize,
        pc: u32,
        to: u32,
        guess: Option<What>,
    ) -> Result<Fetch, Stop> {
        let state = world.thread(thread);
        let guessed = guess.is_some();
        if to <= pc {
            if self.info.is_head(to) && !state.changed {
                return Err(Stop::Stuck);
            }
            let under_way = |what: &What| matches!(what, What::Branch { .. } | What::Block { .. });
            let open = guessed || state.pending.iter().any(|pending| under_way(&pending.what));
            if self.rules.speculates && open {
                let rounds = state.pending.iter().filter(|pending| pending.what == What::Round).count();
                if rounds >= self.options.rounds {
                    state.held = true;
                    return Ok(Fetch::Wait);
                }
                if let Some(guess) = guess {
                    state.push(pc, guess);
                }
                state.push(pc, What::Round);
            }
        } else if let Some(guess) = guess {
            state.push(pc, guess);
        }
        state.regs.goto(to);
        Ok(Fetch::Go)
    }

    /// An atomic block. What it stores is foretold where it matters to whether a round can be left out.
    fn fetch_block(&self, world: &mut World, thread: usize, pc: u32) -> Result<Fetch, Stop> {
        let block = self.block(pc);
        let state = world.thread(thread);
        let in_pure = state.regs.frames.iter().any(|frame| self.info.in_pure(frame.pc));
        let inputs: Box<[Opd]> =
            block.inputs.iter().map(|reg| state.regs.get(self.code, register(*reg))).collect();
        // Whether it stores is foretold where a round of a loop may be left out that does not.
        let strict = in_pure && block.conditional;
        let mut ways: Vec<Way> = Vec::new();
        for &way in &block.ways {
            let alike = |known: &&Way| {
                (known.exit, known.fences) == (way.exit, way.fences)
                    && (!strict || known.stores == way.stores)
            };
            if ways.iter().find(alike).is_none() {
                ways.push(way);
            }
        }
        let fork = |way: Way| {
            let mut fork = world.clone();
            let state = fork.thread(thread);
            // What is not foretold is the same for all.
            let way = Way { stores: way.stores || !strict, ..way };
            let at = state.push(pc, What::Block { inputs: inputs.clone(), way, strict });
            for (which, reg) in block.outputs.iter().enumerate() {
                state.regs.set(*reg, Opd::Of(at, small(which)));
            }
            state.changed |= block.effect.stores && way.stores;
            state.regs.goto(way.exit);
            fork
        };
        let mut forks: Vec<World> = ways.into_iter().map(fork).collect();
        match forks.len() {
            1 => {
                *world = forks.remove(0);
                Ok(Fetch::Go)
            }
            _ => Ok(Fetch::Fork(forks)),
        }
    }
}
