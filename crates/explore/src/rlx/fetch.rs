//! Fetching: a thread puts its instructions into its buffer, in program order, as far as it can.
//!
//! Fetching is nobody else's business either, so it is done at once. Where a branch is not decided yet, a model
//! that speculates goes both ways; a wrong guess dies when the branch is decided, without having stored
//! anything. The other models wait: nothing behind the branch could be executed before the load that decides
//! it. Guessing at once makes two states of every one; [`super::Options::lazy`] waits here too, and has the
//! search guess only where the next step is a load behind the branch.
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
use super::state::{Frame, Opd, What, World};
use crate::code::small;
use crate::code::{Instr, Src};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp::{MAX_CALLS, too_deep};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Choice, Order};
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

/// Values of a type small enough to try all of.
const ENUMERABLE_BITS: u8 = 8;
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
                    let pc = world.threads[thread].frames.last().map_or(0, |frame| frame.pc);
                    let what = format!("more than {MAX_FETCH} instructions at once, at {}", self.at(pc));
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
        let mut pure = false;
        for frame in &mut state.frames {
            let mut live = self.code.live[frame.pc as usize].iter().peekable();
            let ends = matches!(self.code.instrs[frame.pc as usize], Instr::Exit);
            for (reg, opd) in frame.regs.iter_mut().enumerate() {
                let lives = live.next_if(|live| **live as usize == reg).is_some();
                // What a driver has at its end is observed.
                if !lives && !ends && self.code.proc_at(frame.pc).proc.is_some() {
                    *opd = Opd::UNDEFINED;
                }
            }
            pure |= self.info.in_pure(frame.pc);
        }
        state.changed &= pure;
    }

    fn fetch(&self, world: &mut World, thread: usize) -> Result<Fetch, Stop> {
        let code = self.code;
        let state = world.thread(thread);
        if state.pending.len() >= self.options.buffer {
            let why = format!("more than {} instructions of a thread under way", self.options.buffer);
            return Err(Stop::Unsupported(why));
        }
        let last = state.frames.len() - 1;
        let pc = state.frames[last].pc;
        if self.info.is_head(pc) {
            state.changed = false;
        }
        let value = |src: Src| match src < 0 {
            true => Opd::Known(code.consts[!src as usize]),
            false => state.frames[last].regs[src as usize],
        };
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
                state.frames[last].regs[*dst as usize] = result;
            }
            Instr::Load { dst, addr, ty, order } => {
                let (addr, dst) = (value(*addr), *dst as usize);
                if let Some(result) = self.load_private(world, thread, addr, *ty)? {
                    world.thread(thread).frames[last].regs[dst] = result;
                } else {
                    let state = world.thread(thread);
                    let at = state.push(pc, What::Load { addr, ty: *ty });
                    state.frames[last].regs[dst] = Opd::Of(at, 0);
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
                let callee = &code.procs[*proc as usize];
                let mut regs = vec![Opd::UNDEFINED; callee.regs as usize];
                for (param, arg) in callee.params.iter().zip(args) {
                    regs[*param as usize] = value(*arg);
                }
                // The driver's frame is none of the calls.
                if state.frames.len() > MAX_CALLS {
                    let why = format!("{} at {}", too_deep(), self.at(pc));
                    return Err(Stop::Unsupported(why));
                }
                state.frames.push(Frame { pc: callee.entry, regs });
                return Ok(Fetch::Go);
            }
            Instr::Return => {
                let callee = code.proc_at(pc);
                let Some(inner) = state.frames.pop() else { return Ok(Fetch::Wait) };
                let outer = &mut state.frames[last - 1];
                if let Instr::Call { results, .. } = &code.instrs[outer.pc as usize] {
                    for (from, to) in callee.results.iter().zip(results.iter()) {
                        outer.regs[*to as usize] = inner.regs[*from as usize];
                    }
                }
                outer.pc += 1;
                return Ok(Fetch::Go);
            }
            Instr::Prune { cond } => {
                let cond = cond.map_or(Opd::Known(Value::ONE), value);
                return self.suppose(world, thread, pc, What::Assume { cond, want: false });
            }
            Instr::Assume { cond, .. } => {
                let what = What::Assume { cond: value(*cond), want: true };
                return self.suppose(world, thread, pc, what);
            }
            Instr::Assert { cond, fault } => {
                let what = What::Assert { cond: value(*cond), fault: *fault };
                return self.suppose(world, thread, pc, what);
            }
            Instr::Within { base, result } => {
                let what = What::Within { base: value(*base), result: value(*result) };
                return self.suppose(world, thread, pc, what);
            }
            Instr::Alloc { dst, size, site } => {
                let Some(size) = value(*size).known().and_then(Value::defined) else {
                    let why = format!("an object whose size has to be loaded, at {}", self.at(pc));
                    return Err(Stop::Unsupported(why));
                };
                let addr = self.alloc(world, thread, size, *site)?;
                world.thread(thread).frames[last].regs[*dst as usize] = Opd::Known(Value::new(addr));
            }
            Instr::Free { .. } => {
                return Err(Stop::Unsupported(format!("free at {} with execution buffers", self.at(pc))));
            }
            Instr::Choose { dst, from } => {
                let values = self.choices(*from)?;
                state.frames[last].pc += 1;
                let fork = |value: Value| {
                    let mut fork = world.clone();
                    fork.thread(thread).frames[last].regs[*dst as usize] = Opd::Known(value);
                    fork
                };
                return Ok(Fetch::Fork(values.into_iter().map(fork).collect()));
            }
            Instr::Begin { .. } | Instr::End { .. } => {}
            Instr::Spawn { driver, args } => {
                let args = args.iter().map(|arg| value(*arg)).collect();
                state.push(pc, What::Spawn { driver: *driver, args });
            }
            Instr::Launch { .. } => _ = state.push(pc, What::Launch),
            Instr::Exit => return Ok(Fetch::Wait),
        }
        world.thread(thread).frames[last].pc += 1;
        Ok(Fetch::Go)
    }

    /// Passes an instruction that may matter to nothing, or be an error already.
    fn fetched_access(&self, world: &mut World, thread: usize) -> Result<Fetch, Stop> {
        let state = world.thread(thread);
        let last = state.frames.len() - 1;
        state.frames[last].pc += 1;
        self.settle(world, thread)?;
        Ok(Fetch::Go)
    }

    fn fetch_fault(&self, world: &mut World, thread: usize, fault: Fault) -> Result<Fetch, Stop> {
        let state = world.thread(thread);
        let pc = state.frames[state.frames.len() - 1].pc;
        let at = state.push(pc, What::Fault(fault.clone())) as usize;
        self.fail(world, thread, at, fault)?;
        Ok(Fetch::Wait)
    }

    /// An assertion or assumption.
    fn suppose(&self, world: &mut World, thread: usize, pc: u32, what: What) -> Result<Fetch, Stop> {
        world.thread(thread).push(pc, what);
        self.fetched_access(world, thread)
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
        let Some(frame) = state.frames.last() else { return Ok(worlds) };
        let Instr::JumpIf { cond, to, .. } = &self.code.instrs[frame.pc as usize] else { return Ok(worlds) };
        let fails = state.pending.last().is_some_and(|pending| matches!(pending.what, What::Fault(_)));
        if *cond < 0 || fails {
            return Ok(worlds);
        }
        let cond = frame.regs[*cond as usize];
        if cond.known().is_none() {
            let (mut held, pc, to) = (world.clone(), frame.pc, *to);
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
        let last = state.frames.len() - 1;
        state.frames[last].pc = to;
        Ok(Fetch::Go)
    }

    /// An atomic block. What it stores is foretold where it matters to whether a round can be left out.
    fn fetch_block(&self, world: &mut World, thread: usize, pc: u32) -> Result<Fetch, Stop> {
        let block = self.block(pc);
        let state = world.thread(thread);
        let last = state.frames.len() - 1;
        let in_pure = state.frames.iter().any(|frame| self.info.in_pure(frame.pc));
        let inputs: Box<[Opd]> =
            block.inputs.iter().map(|reg| state.frames[last].regs[*reg as usize]).collect();
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
                state.frames[last].regs[*reg as usize] = Opd::Of(at, small(which));
            }
            state.changed |= block.effect.stores && way.stores;
            state.frames[last].pc = way.exit;
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

    fn choices(&self, from: u32) -> Result<Vec<Value>, Stop> {
        match &self.code.choices[from as usize] {
            Choice::OneOf(values) => Ok(values.clone()),
            Choice::Any(ty) if ty.bits <= ENUMERABLE_BITS => {
                Ok((0..1u64 << ty.bits).map(|bits| Value::new(ty.wrap(bits))).collect())
            }
            Choice::Any(ty) => {
                Err(Stop::Unsupported(format!("a choice among all {} values of a type", 1u128 << ty.bits)))
            }
        }
    }
}
