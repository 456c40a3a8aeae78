//! The machine: code, rules, memory, and how a thread gets on by itself.

use super::Options;
use super::alone::Footprint;
use super::info::{Block, Info};
use super::rules::{Class, Effect, Kinds, Overtake, Rules};
use super::state::{Opd, Spot, Thread, What, World, class, simple_effect};
use crate::code::registers::Registers;
use crate::code::{Code, Instr, register};
use crate::state::threads;
use fencepost_lsl::fault::{Fault, Use};
use fencepost_lsl::memory::Object;
use fencepost_lsl::program::{Place, Program, address};
use fencepost_lsl::value::{IntTy, Value};
use std::cell::RefCell;
use std::rc::Rc;

pub(super) struct Machine<'a> {
    pub(super) code: &'a Code,
    pub(super) program: &'a Program,
    pub(super) info: Info,
    pub(super) rules: &'static Rules,
    pub(super) options: &'a Options,
    /// Constant objects, by ascending address.
    pub(super) constants: Vec<Object>,
    /// Whether objects that stay with a thread are kept out of memory.
    pub(super) private: bool,
    /// Who accesses what, as far as has been seen.
    pub(super) footprint: RefCell<Footprint>,
}

/// Why an execution is not followed any further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It is no execution: a guess turned out wrong.
    Dead,
    /// It need not be followed: it does not complete, since an assumption does not hold; or there is the same
    /// execution without what was just done, a round of a loop that changes nothing.
    Stuck,
    /// The machine cannot follow.
    Unsupported(String),
    /// The machine contradicts itself.
    Internal(&'static str),
    /// Objects that stay with a thread have to be kept in memory after all.
    NotPrivate,
}

/// Bytes of stack and of heap that a thread has.
const REGION: u64 = 0x40_0000;
const _: () = {
    let all = threads::MOST as u64 * REGION;
    assert!(address::STACK + all <= address::HEAP && address::HEAP + all <= address::END);
};

impl<'a> Machine<'a> {
    pub(super) fn new(
        code: &'a Code,
        program: &'a Program,
        rules: &'static Rules,
        options: &'a Options,
        private: bool,
        footprint: Footprint,
    ) -> Machine<'a> {
        let constants = program.globals.iter().filter(|global| global.constant).map(Object::of_global);
        Machine {
            code,
            program,
            info: Info::new(code),
            rules,
            options,
            constants: constants.collect(),
            private,
            footprint: RefCell::new(footprint),
        }
    }

    /// The first state, before the first thread has fetched anything.
    pub(super) fn start(&self) -> World {
        let globals = self.program.globals.iter().filter(|global| !global.constant);
        let objects = globals.map(|global| Rc::new(Object::of_global(global))).collect();
        let mut world = World { threads: Vec::new(), objects };
        self.add_thread(&mut world, self.code.first, &[]);
        world
    }

    pub(super) fn add_thread(&self, world: &mut World, driver: u32, args: &[Value]) {
        let args: Vec<Opd> = args.iter().map(|arg| Opd::Known(*arg)).collect();
        let number = world.threads.len() as u64;
        world.threads.push(Rc::new(Thread {
            regs: Registers::of_driver(self.code, driver, &args),
            pending: Vec::new(),
            next: [address::STACK + number * REGION, address::HEAP + number * REGION],
            confined: Vec::new(),
            private: Vec::new(),
            changed: false,
            held: false,
            stuck: false,
        }));
    }

    /// Where an instruction comes from, for people.
    pub(super) fn at(&self, pc: u32) -> String {
        let span = self.code.spans[pc as usize];
        let sources = &self.program.sources;
        format!("{}:{}", sources.file(span.file).name, sources.position(span).line)
    }

    pub(super) fn is_finished(&self, thread: &Thread) -> bool {
        thread.pending.is_empty()
            && !thread.stuck
            && matches!(self.code.instrs[thread.regs.pc() as usize], Instr::Exit)
    }

    /// Whether no other thread is left that does anything.
    pub(super) fn alone(&self, world: &World, thread: usize) -> bool {
        let idle = |state: &Thread| state.stuck || self.is_finished(state);
        world.threads.iter().enumerate().all(|(other, state)| other == thread || idle(state))
    }

    /// Why an access would be a runtime error. Objects are never freed here.
    pub(super) fn check(&self, world: &World, addr: u64, bytes: u64, stores: bool) -> Result<(), Fault> {
        if addr < address::NULL_END {
            return Err(Fault::Null);
        }
        if self.constant(addr, bytes).is_some() {
            return if stores { Err(Fault::ReadOnly) } else { Ok(()) };
        }
        match world.find(addr) {
            Some(at) if world.objects[at].holds(addr, bytes) => Ok(()),
            _ => Err(Fault::OutOfBounds),
        }
    }

    /// Whether a pointer may be moved from one address to another: not away from the object it belongs to,
    /// nor from null to anything else. Objects that stay with a thread are given apart.
    pub(super) fn within(
        &self,
        world: &World,
        confined: &[(u64, u64)],
        base: u64,
        result: u64,
    ) -> Result<(), Fault> {
        let belongs = |room: &(u64, u64)| address::belongs(*room, base);
        let shared = world.objects.iter().map(|object| (object.base, object.size()));
        let constant = self.constants.iter().map(|object| (object.base, object.size()));
        let own = confined.iter().map(|(base, end)| (*base, end - base));
        let stays = match shared.chain(constant).chain(own).find(belongs) {
            Some(room) => address::belongs(room, result),
            None => base >= address::NULL_END || result < address::NULL_END,
        };
        if stays { Ok(()) } else { Err(Fault::Strayed) }
    }

    fn constant(&self, addr: u64, bytes: u64) -> Option<&Object> {
        let after = self.constants.partition_point(|object| object.base <= addr);
        self.constants[..after].last().filter(|object| object.holds(addr, bytes))
    }

    /// Memory at an address that was checked.
    pub(super) fn read(&self, world: &World, addr: u64, ty: IntTy) -> Result<Value, Stop> {
        match (self.constant(addr, ty.bytes()), world.find(addr)) {
            (Some(object), _) => Ok(object.read(addr - object.base, ty)),
            (None, Some(at)) => Ok(world.objects[at].read(addr - world.objects[at].base, ty)),
            (None, None) => Err(Stop::Internal("a load of no object was executed")),
        }
    }

    pub(super) fn write(&self, world: &mut World, addr: u64, ty: IntTy, value: Value) -> Result<(), Stop> {
        let at = world.find(addr).ok_or(Stop::Internal("a store to no object was executed"))?;
        let object = Rc::make_mut(&mut world.objects[at]);
        object.write(addr - object.base, ty, value.wrap(ty));
        Ok(())
    }

    /// A new object of a thread.
    pub(super) fn alloc(&self, world: &mut World, thread: usize, size: u64, site: u32) -> Result<u64, Stop> {
        let site = &self.code.sites[site as usize];
        let which = (site.place != Place::Stack) as usize;
        let state = world.thread(thread);
        let base = address::place(state.next[which], site.align);
        let start = [address::STACK, address::HEAP][which] + thread as u64 * REGION;
        let limit = [address::HEAP, address::END][which].min(start + REGION);
        let end = size.checked_add(base + address::MARGIN).filter(|end| *end <= limit);
        let Some(end) = end else { return Err(Stop::Unsupported("more memory than there is".into())) };
        state.next[which] = end;
        if self.private && site.confined && site.place == Place::Stack && !site.zeroed {
            state.confined.push((base, base + size));
        } else {
            world.insert(Object::new(base, size, site.place, site.zeroed, site.layout));
        }
        Ok(base)
    }

    pub(super) fn block(&self, pc: u32) -> &Block {
        &self.info.blocks[&pc]
    }

    pub(super) fn effect(&self, pc: u32, class: Class) -> Effect {
        match class {
            Class::Block => self.block(pc).effect,
            _ => simple_effect(class),
        }
    }

    /// The bytes that a pending instruction is going to access; none if that is not known yet.
    pub(super) fn spots(&self, pc: u32, what: &What) -> Option<Vec<Spot>> {
        let address = |opd: &Opd| opd.known().map(|value| value.bits());
        match what {
            What::Load { addr, ty } | What::Store { addr, ty, .. } => {
                let stores = matches!(what, What::Store { .. });
                Some(vec![Spot { addr: address(addr)?, bytes: ty.bytes(), stores }])
            }
            What::Block { inputs, .. } => {
                let block = self.block(pc);
                let accesses = block.accesses.as_ref()?;
                let spot = |(addr, ty, stores): &(i32, IntTy, bool)| {
                    let addr = if *addr < 0 {
                        self.code.consts[!*addr as usize].bits()
                    } else {
                        let at = block.inputs.iter().position(|reg| register(*reg) == *addr)?;
                        address(&inputs[at])?
                    };
                    Some(Spot { addr, bytes: ty.bytes(), stores: *stores })
                };
                accesses.iter().map(spot).collect()
            }
            _ => Some(Vec::new()),
        }
    }

    /// Whether a fence between two pending instructions keeps them in order.
    fn fenced(&self, thread: &Thread, older: usize, younger: usize, second: Effect) -> bool {
        let pending = &thread.pending[older];
        let first = class(&pending.what).map_or(Effect::default(), |class| self.effect(pending.pc, class));
        let between = thread.pending[older + 1..younger].iter().any(|pending| match &pending.what {
            What::Fence(kinds) | What::Done { through: kinds, .. } => kinds.orders(first, second),
            What::Block { way, .. } => way.fences.through.orders(first, second),
            _ => false,
        });
        let (a, b) = (&thread.pending[older], &thread.pending[younger]);
        let both = Effect { loads: true, stores: true };
        between
            || matches!(&a.what, What::Block { way, .. } if way.fences.after.orders(both, second))
            || matches!(&b.what, What::Block { way, .. } if way.fences.before.orders(first, both))
    }

    /// Whether the rules let a pending instruction be executed now that is going to access these bytes, and has
    /// this effect as far as fences are concerned.
    pub(super) fn may_overtake(
        &self,
        thread: &Thread,
        younger: usize,
        spots: &[Spot],
        effect: Effect,
    ) -> bool {
        let Some(its) = class(&thread.pending[younger].what) else { return false };
        let stores = self.effect(thread.pending[younger].pc, its).stores;
        thread.pending[..younger].iter().enumerate().all(|(older, pending)| {
            if stores && self.is_branch(pending.pc, &pending.what) {
                return false;
            }
            let Some(class) = class(&pending.what) else { return true };
            let rule = self.rules.overtake(class, its);
            if rule == Overtake::Never || self.fenced(thread, older, younger, effect) {
                return false;
            }
            rule == Overtake::Forward
                || self.spots(pending.pc, &pending.what).is_none_or(|older| !conflict(&older, spots))
        })
    }

    /// Whether an instruction is a branch, or has one.
    fn is_branch(&self, pc: u32, what: &What) -> bool {
        match what {
            What::Branch { .. } | What::Assume { want: true, .. } => true,
            What::Block { .. } => self.block(pc).branches,
            _ => false,
        }
    }

    /// Whether an executed instruction, or a fence, still matters at its position.
    pub(super) fn matters(&self, thread: &Thread, at: usize) -> bool {
        let older = &thread.pending[..at];
        let orders = |kinds: Kinds| {
            older.iter().any(|pending| {
                class(&pending.what)
                    .is_some_and(|class| kinds.after(self.effect(pending.pc, class)) != Kinds::NONE)
            })
        };
        match &thread.pending[at].what {
            What::Fence(kinds) => orders(*kinds),
            What::Round => at > 0,
            What::Done { spots, through, .. } => {
                let stored = spots.iter().any(|spot| spot.stores);
                let unsettled = older.iter().any(|pending| match &pending.what {
                    What::Store { addr, .. } => addr.known().is_none(),
                    What::Load { addr, .. } => stored && addr.known().is_none(),
                    What::Block { .. } => stored || self.spots(pending.pc, &pending.what).is_none(),
                    What::Op { op, .. } => stored && may_fail(*op),
                    What::Assert { .. } | What::Within { .. } | What::Assume { .. } => stored,
                    _ => false,
                });
                unsettled || orders(*through)
            }
            _ => true,
        }
    }
}

/// Whether accesses to these bytes must stay in order.
pub(super) fn conflict(a: &[Spot], b: &[Spot]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.conflicts(b)))
}

/// Whether an operation may be a runtime error.
fn may_fail(op: fencepost_lsl::op::PrimOp) -> bool {
    use fencepost_lsl::op::{BinOp, PrimOp};
    op.needs_defined() || matches!(op, PrimOp::Bin(BinOp::Shl | BinOp::Shr, _))
}

/// The value as a condition.
pub(super) fn condition(value: Value) -> Result<bool, Fault> {
    value.defined().map(|bits| bits != 0).ok_or(Fault::Undefined(Use::Condition))
}

/// The value as an address.
pub(super) fn as_address(value: Value) -> Result<u64, Fault> {
    value.defined().ok_or(Fault::Undefined(Use::Address))
}
