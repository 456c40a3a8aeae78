//! The sequential meaning of LSL: an interpreter for one thread, in a world that answers its accesses.
//!
//! The interpreter walks the structured program itself, not any unrolled or compiled form, so that it can
//! judge those. Everything outside of the thread's registers is asked of a [`World`]: a sequential memory
//! for mining, a recorded trace for replay. Values carry what the world attaches to loads (their
//! *dependencies*), joined along the way; conditions of branches join into the thread's control
//! dependencies.

use crate::fault::{Fault, Use};
use crate::layout::LayoutId;
use crate::op::PrimOp;
use crate::program::{
    Choice, Exchange, Fence, Label, Operand, Order, Place, Proc, ProcId, Program, Stmt, StmtKind, Unmet,
};
use crate::source::Span;
use crate::value::{IntTy, Value};
use std::fmt;

/// What a value depends on, as far as the world wants to know.
pub trait Deps: Clone + Default {
    /// Dependencies of the result of `op` on arguments with these dependencies.
    fn combine(op: PrimOp, args: &[&Self]) -> Self;
    /// Adds `other` to the control dependencies `self`.
    fn control(&mut self, other: &Self);
}

impl Deps for () {
    fn combine(_: PrimOp, _: &[&()]) {}
    fn control(&mut self, (): &()) {}
}

/// A value with its dependencies.
#[derive(Clone, Debug, Default)]
pub struct Word<D> {
    /// The value.
    pub value: Value,
    /// What it depends on.
    pub deps: D,
}

impl Default for Value {
    fn default() -> Value {
        Value::UNDEFINED
    }
}

/// Why a thread did not reach its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A runtime error.
    Fault(Fault),
    /// It waits for ever: for what nobody does, or in a loop that goes in circles.
    Blocked,
    /// An assumption of the user's does not hold: the execution does not count.
    RuledOut,
    /// The program ends.
    Exited,
    /// The world has had enough of it (a step limit).
    Exhausted,
    /// More calls are under way than [`MAX_CALLS`].
    TooDeep,
    /// The end was asked for, by the user or a limit of time or memory.
    Cut,
    /// The world cannot go along with what the program does; why.
    Refused(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Fault(fault) => fault.fmt(f),
            Stop::Blocked => f.write_str("it waits for ever"),
            Stop::RuledOut => f.write_str("an assumption rules it out"),
            Stop::Exited => f.write_str("the program ends"),
            Stop::Cut => f.write_str("it was stopped"),
            Stop::Exhausted => f.write_str("it takes too long"),
            Stop::TooDeep => f.write_str(&too_deep()),
            Stop::Refused(why) => f.write_str(why),
        }
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// A call that is under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The callee.
    pub proc: ProcId,
    /// Where it was called; none for the outermost.
    pub call: Option<Span>,
}

/// Where an access happens, and what it depends on.
pub struct Site<'a, D> {
    /// The statement's place in the source.
    pub span: Span,
    /// Calls under way, outermost first.
    pub stack: &'a [Frame],
    /// Dependencies of the address.
    pub addr: &'a D,
    /// Dependencies of the branches taken so far.
    pub ctrl: &'a D,
    /// What the atomic block is that it is part of.
    pub exchange: Exchange,
}

/// An access, as the world sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The address.
    pub addr: u64,
    /// Width and sign.
    pub ty: IntTy,
    /// The memory order.
    pub order: Order,
    /// That of the load of a compare-and-swap that does not swap, if it is another.
    pub failing: Option<Order>,
}

/// A new object, as the world sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewObject {
    /// Size in bytes.
    pub size: u64,
    /// Whether it starts as zeros.
    pub zeroed: bool,
    /// What its address is a multiple of.
    pub align: u64,
    /// Where it lives.
    pub place: Place,
    /// How to name its parts.
    pub layout: Option<LayoutId>,
}

/// Everything outside of one thread's registers.
pub trait World {
    /// What it attaches to loaded values.
    type Deps: Deps;
    /// A load: its value (as the access's type) and dependencies.
    fn load(&mut self, site: &Site<Self::Deps>, access: Access) -> Result<Word<Self::Deps>, Stop>;
    /// A store.
    fn store(&mut self, site: &Site<Self::Deps>, access: Access, word: &Word<Self::Deps>)
    -> Result<(), Stop>;
    /// A fence.
    fn fence(&mut self, site: &Site<Self::Deps>, fence: Fence) -> Result<(), Stop>;
    /// Start (true) or end of an outermost atomic block.
    fn atomic(&mut self, starts: bool) -> Result<(), Stop>;
    /// A new object: its address.
    fn alloc(&mut self, site: &Site<Self::Deps>, object: NewObject) -> Result<Word<Self::Deps>, Stop>;
    /// Whether a pointer may be moved from one address to another.
    fn within(&mut self, base: u64, result: u64) -> Result<(), Stop>;
    /// The end of a heap object.
    fn free(&mut self, site: &Site<Self::Deps>, addr: u64) -> Result<(), Stop>;
    /// A choice.
    fn choose(&mut self, site: &Site<Self::Deps>, from: &Choice) -> Result<Value, Stop>;
    /// A new thread.
    fn spawn(
        &mut self,
        site: &Site<Self::Deps>,
        proc: ProcId,
        args: Vec<Word<Self::Deps>>,
    ) -> Result<(), Stop>;
    /// Called before each call and each repetition of a loop; may stop the thread.
    fn tick(&mut self) -> Result<(), Stop>;
    /// Everything of it that could make a computation come out differently.
    type Content: PartialEq;
    /// What it is like now. A loop that repeats with the same registers in the same world waits for ever. None if the
    /// world cannot tell.
    fn content(&self) -> Option<Self::Content>;
}

/// A stop and where it happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halt {
    /// Why.
    pub stop: Stop,
    /// The statement.
    pub span: Span,
    /// Calls under way, outermost first.
    pub stack: Vec<Frame>,
}

/// So many calls may be under way in a thread, the outermost included, before they exhaust the stack of whoever follows
/// them. All engines keep to it, so that each can judge what another finds.
pub const MAX_CALLS: usize = 256;

/// So many threads may an execution have, ended ones included. Model headers count on it: a word has a bit for each.
pub const MAX_THREADS: usize = 64;

/// What is said of a thread with more calls than that. They need not be a recursion, and may well end.
pub fn too_deep() -> String {
    format!("more than {MAX_CALLS} calls inside of each other")
}

/// A thread: what stays when one of its calls has returned.
pub struct Thread<'p, W: World> {
    program: &'p Program,
    /// The world, for its owner to look at between calls.
    pub world: W,
    stack: Vec<Frame>,
    ctrl: W::Deps,
    /// Depth of nested atomic blocks.
    atomic: u32,
    /// Whether the innermost of them is a compare-and-swap.
    exchange: Exchange,
    /// Span of the statement under way.
    span: Option<Span>,
}

/// Where control goes after a statement.
enum Flow {
    Next,
    Break(Label),
    Continue(Label),
}

type Regs<W> = [Word<<W as World>::Deps>];

impl<'p, W: World> Thread<'p, W> {
    /// A thread of a program, in a world.
    pub fn new(program: &'p Program, world: W) -> Thread<'p, W> {
        let ctrl = W::Deps::default();
        Thread {
            program,
            world,
            stack: Vec::new(),
            ctrl,
            atomic: 0,
            exchange: Exchange::default(),
            span: None,
        }
    }

    /// Runs a procedure to its end and returns its results.
    pub fn call(&mut self, proc: ProcId, args: Vec<Word<W::Deps>>) -> Result<Vec<Word<W::Deps>>, Halt> {
        self.stack.clear();
        (self.atomic, self.exchange) = (0, Exchange::default());
        self.enter(proc, None, args).map_err(|stop| {
            let span = self.span.unwrap_or(self.program.proc(proc).span);
            Halt { stop, span, stack: self.stack.clone() }
        })
    }

    /// Runs a procedure; on a stop, leaves the stack as it was there.
    fn enter(
        &mut self,
        proc: ProcId,
        call: Option<Span>,
        args: Vec<Word<W::Deps>>,
    ) -> Result<Vec<Word<W::Deps>>, Stop> {
        self.stack.push(Frame { proc, call });
        if self.stack.len() > MAX_CALLS {
            return Err(Stop::TooDeep);
        }
        let Proc { params, results, regs, body, .. } = self.program.proc(proc);
        let mut words = vec![Word::default(); regs.len()];
        for (param, arg) in params.iter().zip(args) {
            words[param.index()] = arg;
        }
        self.block(body, &mut words)?;
        self.stack.pop();
        Ok(results.iter().map(|reg| words[reg.index()].clone()).collect())
    }

    fn block(&mut self, body: &'p [Stmt], regs: &mut Regs<W>) -> Result<Flow, Stop> {
        for stmt in body {
            self.span = Some(stmt.span);
            match self.step(stmt, regs)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn step(&mut self, stmt: &'p Stmt, regs: &mut Regs<W>) -> Result<Flow, Stop> {
        match &stmt.kind {
            StmtKind::Assign { dst, op, args } => {
                let args: Vec<Word<W::Deps>> = args.iter().map(|arg| read(regs, *arg)).collect();
                let values: Vec<Value> = args.iter().map(|arg| arg.value).collect();
                let deps: Vec<&W::Deps> = args.iter().map(|arg| &arg.deps).collect();
                regs[dst.index()] = Word { value: op.eval(&values)?, deps: W::Deps::combine(*op, &deps) };
            }
            StmtKind::Load { dst, addr, ty, order, failing } => {
                let addr = read(regs, *addr);
                let access =
                    Access { addr: as_address(addr.value)?, ty: *ty, order: *order, failing: *failing };
                regs[dst.index()] =
                    self.ask(stmt.span, &addr.deps, |world, site| world.load(site, access))?;
            }
            StmtKind::Store { addr, value, ty, order } => {
                let addr = read(regs, *addr);
                let word = read(regs, *value);
                let access = Access { addr: as_address(addr.value)?, ty: *ty, order: *order, failing: None };
                self.ask(stmt.span, &addr.deps, |world, site| world.store(site, access, &word))?;
            }
            StmtKind::Fence(fence) => {
                self.ask(stmt.span, &W::Deps::default(), |world, site| world.fence(site, *fence))?;
            }
            StmtKind::Slot(_) => {}
            StmtKind::Atomic(body) => return self.atomic(body, regs),
            StmtKind::Call { proc, args, results } => {
                self.world.tick()?;
                let args = args.iter().map(|arg| read(regs, *arg)).collect();
                let values = self.enter(*proc, Some(stmt.span), args)?;
                for (result, value) in results.iter().zip(values) {
                    regs[result.index()] = value;
                }
            }
            StmtKind::Block { label, body, .. } => return self.labelled(*label, body, regs),
            StmtKind::Break { label, when, predicated } => {
                if self.holds(regs, *when, !predicated)? {
                    return Ok(Flow::Break(*label));
                }
            }
            StmtKind::Continue { label, when } => {
                if self.holds(regs, *when, true)? {
                    return Ok(Flow::Continue(*label));
                }
            }
            StmtKind::Assert { cond, fault } => {
                if !as_condition(read(regs, *cond).value)? {
                    return Err(fault.clone().into());
                }
            }
            // As in `while (!cond);`, what comes behind depends on the condition.
            StmtKind::Assume { cond } => {
                if !self.holds(regs, Some(*cond), true)? {
                    return Err(match self.program.unmet(*cond, stmt.span) {
                        Unmet::RulesOut => Stop::RuledOut,
                        Unmet::Exits => Stop::Exited,
                        Unmet::Waits => Stop::Blocked,
                    });
                }
            }
            StmtKind::Within { base, result } => {
                let (base, result) = (read(regs, *base).value, read(regs, *result).value);
                self.world.within(as_address(base)?, as_address(result)?)?;
            }
            StmtKind::Alloc { dst, size, align, zeroed, place, layout } => {
                let size = read(regs, *size);
                let object = NewObject {
                    size: as_address(size.value)?,
                    align: *align,
                    zeroed: *zeroed,
                    place: *place,
                    layout: *layout,
                };
                regs[dst.index()] =
                    self.ask(stmt.span, &size.deps, |world, site| world.alloc(site, object))?;
            }
            StmtKind::Free { addr } => {
                let addr = read(regs, *addr);
                let base = as_address(addr.value)?;
                if base != 0 {
                    self.ask(stmt.span, &addr.deps, |world, site| world.free(site, base))?;
                }
            }
            StmtKind::Choose { dst, from } => {
                let none = W::Deps::default();
                let value = self.ask(stmt.span, &none, |world, site| world.choose(site, from))?;
                regs[dst.index()] = Word { value, deps: none };
            }
            StmtKind::Spawn { proc, args } => {
                let args = args.iter().map(|arg| read(regs, *arg)).collect();
                self.ask(stmt.span, &W::Deps::default(), |world, site| world.spawn(site, *proc, args))?;
            }
        }
        Ok(Flow::Next)
    }

    fn labelled(&mut self, label: Label, body: &'p [Stmt], regs: &mut Regs<W>) -> Result<Flow, Stop> {
        // Registers and world at the last repetition whose number is a power of two, to be found again by a loop
        // that goes in circles, however long these are (Brent 1980).
        let mut before: Option<(Vec<Value>, W::Content)> = None;
        for repetition in 1u64.. {
            match self.block(body, regs)? {
                Flow::Continue(target) if target == label => {
                    self.world.tick()?;
                    let same = |values: &[Value]| values.iter().eq(regs.iter().map(|word| &word.value));
                    if let Some((values, content)) = &before
                        && same(values)
                        && self.world.content().is_some_and(|now| now == *content)
                    {
                        return Err(Stop::Blocked);
                    }
                    if repetition.is_power_of_two() {
                        let values = regs.iter().map(|word| word.value).collect();
                        before = self.world.content().map(|content| (values, content));
                    }
                }
                Flow::Break(target) if target == label => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
        unreachable!("a loop repeats until it is left")
    }

    fn atomic(&mut self, body: &'p [Stmt], regs: &mut Regs<W>) -> Result<Flow, Stop> {
        if self.atomic == 0 {
            self.world.atomic(true)?;
        }
        self.atomic += 1;
        let outer = self.exchange;
        self.exchange = outer.within(body);
        let flow = self.block(body, regs)?;
        self.exchange = outer;
        self.atomic -= 1;
        if self.atomic == 0 {
            self.world.atomic(false)?;
        }
        Ok(flow)
    }

    /// Whether a jump is taken; a branch adds to the control dependencies either way.
    fn holds(&mut self, regs: &Regs<W>, when: Option<Operand>, branch: bool) -> Result<bool, Stop> {
        let Some(when) = when else { return Ok(true) };
        let word = read(regs, when);
        if branch {
            self.ctrl.control(&word.deps);
        }
        as_condition(word.value)
    }

    fn ask<T>(
        &mut self,
        span: Span,
        addr: &W::Deps,
        question: impl FnOnce(&mut W, &Site<W::Deps>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let site = Site { span, stack: &self.stack, addr, ctrl: &self.ctrl, exchange: self.exchange };
        question(&mut self.world, &site)
    }
}

fn read<D: Clone + Default>(regs: &[Word<D>], operand: Operand) -> Word<D> {
    match operand {
        Operand::Reg(reg) => regs[reg.index()].clone(),
        Operand::Const(value) => Word { value, deps: D::default() },
    }
}

fn as_condition(value: Value) -> Result<bool, Stop> {
    match value.defined() {
        Some(bits) => Ok(bits != 0),
        None => Err(Fault::Undefined(Use::Condition).into()),
    }
}

fn as_address(value: Value) -> Result<u64, Stop> {
    value.defined().ok_or(Fault::Undefined(Use::Address).into())
}
