//! Steps: an instruction leaves a thread's buffer and is executed.

use super::block;
use super::info::Way;
use super::machine::{Machine, Stop};
use super::rules::{Class, Effect, Kinds};
use super::state::{Opd, Spot, Thread, What, World, class};
use crate::code::Instr;
use crate::state::buffer::words::overlay;
use crate::state::threads;
use fencepost_lsl::value::{IntTy, Value};

/// A step: the thread, and which of its pending instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) thread: usize,
    pub(super) at: usize,
}

impl Machine<'_> {
    /// The steps that may be possible in a world.
    pub(super) fn steps(&self, world: &World) -> Vec<Step> {
        let mut steps = Vec::new();
        for (thread, state) in world.threads.iter().enumerate() {
            let alone = self.alone(world, thread);
            for (at, pending) in state.pending.iter().enumerate() {
                let may = match &pending.what {
                    What::Spawn { .. } | What::Launch => at == 0,
                    what => class(what).is_some(),
                };
                if may {
                    steps.push(Step { thread, at });
                    // With nobody to notice, the order of execution makes no difference.
                    if alone {
                        break;
                    }
                }
            }
        }
        steps
    }

    /// Older pending accesses that a step overtakes, by where they were fetched.
    pub(super) fn overtaken<'w>(&self, world: &'w World, step: Step) -> impl Iterator<Item = u32> + 'w {
        let older = &world.threads[step.thread].pending[..step.at];
        older.iter().filter(|pending| class(&pending.what).is_some()).map(|pending| pending.pc)
    }

    /// Makes a step, and says what was done; nothing if it is not possible now.
    pub(super) fn execute(&self, world: &mut World, step: Step) -> Result<Option<Effect>, Stop> {
        let Step { thread, at } = step;
        let pending = world.threads[thread].pending[at].clone();
        match &pending.what {
            What::Load { addr, ty } => {
                let Some(addr) = addr.known().and_then(Value::defined) else { return Ok(None) };
                let spot = Spot { addr, bytes: ty.bytes(), stores: false };
                if !self.may_overtake(&world.threads[thread], at, &[spot], Effect::LOAD) {
                    return Ok(None);
                }
                let memory = self.read(world, addr, *ty)?;
                let Some(value) = forward(&world.threads[thread], at, addr, *ty, memory) else {
                    return Ok(None);
                };
                self.finish(world, step, Class::Load, vec![spot], &[value]);
                return Ok(Some(Effect::LOAD));
            }
            What::Store { addr, value, ty } => {
                let (Some(addr), Some(value)) = (addr.known().and_then(Value::defined), value.known()) else {
                    return Ok(None);
                };
                let spot = Spot { addr, bytes: ty.bytes(), stores: true };
                if !self.may_overtake(&world.threads[thread], at, &[spot], Effect::STORE) {
                    return Ok(None);
                }
                self.write(world, addr, *ty, value)?;
                self.finish(world, step, Class::Store, vec![spot], &[]);
                return Ok(Some(Effect::STORE));
            }
            What::Block { inputs, way, strict } => {
                return self.execute_block(world, step, pending.pc, inputs, *way, *strict);
            }
            What::Spawn { driver, args } => {
                let Some(args) = args.iter().map(|arg| arg.known()).collect::<Option<Vec<Value>>>() else {
                    return Ok(None);
                };
                threads::room(world.threads.len(), 1).map_err(Stop::Unsupported)?;
                world.thread(thread).remove(at);
                self.add_thread(world, *driver, &args);
            }
            What::Launch => {
                let Instr::Launch { drivers } = &self.code.instrs[pending.pc as usize] else {
                    return Err(Stop::Internal("threads of a test start at another instruction"));
                };
                threads::room(world.threads.len(), drivers.len()).map_err(Stop::Unsupported)?;
                world.thread(thread).remove(at);
                drivers.iter().for_each(|driver| self.add_thread(world, *driver, &[]));
            }
            _ => return Ok(None),
        }
        Ok(Some(Effect::default()))
    }

    fn finish(&self, world: &mut World, step: Step, class: Class, spots: Vec<Spot>, results: &[Value]) {
        self.note(world, step.thread, &spots);
        let state = world.thread(step.thread);
        state.resolve(step.at, results);
        state.pending[step.at].what = What::Done { class, spots: spots.into(), through: Kinds::NONE };
        state.pending[step.at].placed = false;
    }

    fn execute_block(
        &self,
        world: &mut World,
        step: Step,
        pc: u32,
        inputs: &[Opd],
        way: Way,
        strict: bool,
    ) -> Result<Option<Effect>, Stop> {
        // What it may access, if known beforehand: also what it does not store after all.
        let state = &world.threads[step.thread];
        let expected = self.spots(pc, &state.pending[step.at].what).unwrap_or_default();
        let anyway = if self.rules.failing_stores { self.block(pc).effect } else { Effect::default() };
        if !self.may_overtake(state, step.at, &expected, anyway) {
            return Ok(None);
        }
        let mut after = world.clone();
        let ran = match block::run(self, &mut after, pc, self.block(pc), inputs) {
            Ok(ran) => ran,
            Err(block::Stop::Blocked) => return Ok(None),
            Err(block::Stop::Fault(fault)) => {
                self.fail(world, step.thread, step.at, fault)?;
                return Ok(Some(Effect::LOAD.and(anyway)));
            }
            Err(block::Stop::Other(stop)) => return Err(stop),
        };
        let exact = self.block(pc).exact;
        if ran.way.exit != way.exit
            || strict && ran.way.stores != way.stores
            || exact && ran.way.fences != way.fences
        {
            // It may still go as foretold when memory has changed.
            return Ok(None);
        }
        let loads = ran.spots.iter().any(|spot| !spot.stores);
        let effect = Effect { loads, stores: ran.way.stores }.and(anyway);
        if !self.may_overtake(&world.threads[step.thread], step.at, &ran.spots, effect) {
            return Ok(None);
        }
        if self.was_overtaken(world, step.thread, step.at, &ran.spots) {
            return Err(Stop::Dead);
        }
        // One that stores nothing after all counts as if it had, where that is known beforehand.
        let spots = if self.block(pc).accesses.is_some() { expected } else { ran.spots };
        *world = after;
        self.finish(world, step, Class::Block, spots, &ran.results);
        let state = world.thread(step.thread);
        if let What::Done { through, .. } = &mut state.pending[step.at].what {
            *through = way.fences.through;
        }
        Ok(Some(effect))
    }
}

/// The value of a load: memory, with what its thread is going to store there before it. None if that is not
/// known yet.
fn forward(thread: &Thread, at: usize, addr: u64, ty: IntTy, memory: Value) -> Option<Value> {
    let mut seen = memory;
    for pending in &thread.pending[..at] {
        let What::Store { addr: to, value, ty: width } = &pending.what else { continue };
        let Some(to) = to.known().and_then(Value::defined) else { continue };
        let stored = value.known();
        if overlay(&mut seen, addr, ty, to, width.bytes(), stored.unwrap_or_default()) {
            stored?;
        }
    }
    Some(seen.wrap(ty))
}
