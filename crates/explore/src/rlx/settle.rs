//! What follows in a buffer when a value becomes known: operations are computed, guesses confirmed or refuted.
//!
//! None of this is a step of its own: nobody can notice when a thread computes.

use super::execute::Step;
use super::machine::{Machine, Stop, as_address, condition, conflict};
use super::state::{Opd, Spot, What, World, class};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::value::Value;

/// What is to be done with a pending instruction.
pub(super) enum Next {
    Keep,
    /// It is known what it is going to access.
    Place,
    Remove,
    /// Its result is known.
    Result(Value),
    Fault(Fault),
}

impl Machine<'_> {
    /// Goes through a thread's buffer until nothing changes.
    pub(super) fn settle(&self, world: &mut World, thread: usize) -> Result<(), Stop> {
        let mut at = 0;
        while at < world.threads[thread].pending.len() {
            let next = self.look(world, thread, at)?;
            if matches!(next, Next::Keep | Next::Place)
                && self.is_alone(world, thread, at)
                && self.execute(world, Step { thread, at })?.is_some()
            {
                at = 0;
                continue;
            }
            if matches!(next, Next::Keep | Next::Place) {
                if matches!(next, Next::Place) {
                    world.thread(thread).pending[at].placed = true;
                }
                at += 1;
                continue;
            }
            let state = world.thread(thread);
            match next {
                Next::Keep | Next::Place => {}
                Next::Remove => state.remove(at),
                Next::Result(value) => {
                    state.resolve(at, &[value]);
                    state.remove(at);
                }
                Next::Fault(fault) => return self.fail(world, thread, at, fault),
            }
            // Only younger instructions refer to it, but its leaving may matter to those around it too.
            at = 0;
        }
        Ok(())
    }

    /// A pending instruction turns out to be a runtime error: the thread ends with it.
    pub(super) fn fail(&self, world: &mut World, thread: usize, at: usize, fault: Fault) -> Result<(), Stop> {
        let state = world.thread(thread);
        let stored = |what: &What| matches!(what, What::Done { spots, .. } if spots.iter().any(|s| s.stores));
        // A thread that ends here has stored nothing behind it.
        if state.pending[at..].iter().any(|pending| stored(&pending.what)) {
            return Err(Stop::Dead);
        }
        state.pending.truncate(at + 1);
        state.pending[at].what = What::Fault(fault);
        state.pending[at].placed = false;
        state.end();
        state.private.clear();
        Ok(())
    }

    fn look(&self, world: &World, thread: usize, at: usize) -> Result<Next, Stop> {
        let state = &world.threads[thread];
        let pending = &state.pending[at];
        if pending.placed {
            return Ok(Next::Keep);
        }
        match &pending.what {
            What::Load { addr, ty } | What::Store { addr, ty, .. } => {
                let Some(addr) = addr.known() else { return Ok(Next::Keep) };
                let addr = match as_address(addr) {
                    Ok(addr) if state.is_confined(addr) => return Err(Stop::NotPrivate),
                    Ok(addr) => addr,
                    Err(fault) => return Ok(Next::Fault(fault)),
                };
                let stores = matches!(pending.what, What::Store { .. });
                match self.check(world, addr, ty.bytes(), stores) {
                    Ok(()) => self.place(world, thread, at, &[Spot { addr, bytes: ty.bytes(), stores }]),
                    Err(fault) => Ok(Next::Fault(fault)),
                }
            }
            What::Block { .. } => match self.spots(pending.pc, &pending.what) {
                Some(spots) => self.place(world, thread, at, &spots),
                None => Ok(Next::Keep),
            },
            What::Fence(_) | What::Round | What::Done { .. } => match self.matters(state, at) {
                true => Ok(Next::Keep),
                false => Ok(Next::Remove),
            },
            what => self.decide(world, &state.confined, what),
        }
    }

    /// What is to be done with what only computes or checks, and with all that nothing is known of.
    pub(super) fn decide(&self, world: &World, confined: &[(u64, u64)], what: &What) -> Result<Next, Stop> {
        let holds = |opd: &Opd, want: bool, otherwise: Stop| match opd.known().map(condition) {
            None => Ok(Next::Keep),
            Some(Ok(cond)) if cond == want => Ok(Next::Remove),
            Some(Ok(_)) => Err(otherwise),
            Some(Err(fault)) => Ok(Next::Fault(fault)),
        };
        match what {
            What::Op { op, a, b } => {
                let (Some(a), Some(b)) = (a.known(), b.known()) else { return Ok(Next::Keep) };
                Ok(op.eval(&[a, b][..op.arity()]).map_or_else(Next::Fault, Next::Result))
            }
            What::Branch { cond, taken } => holds(cond, *taken, Stop::Dead),
            What::Assume { cond, want } => holds(cond, *want, Stop::Stuck),
            What::Assert { cond, fault } => match holds(cond, true, Stop::Dead) {
                Err(_) => Ok(Next::Fault(self.code.faults[*fault as usize].clone())),
                next => next,
            },
            What::Within { base, result } => {
                let (Some(base), Some(result)) = (base.known(), result.known()) else {
                    return Ok(Next::Keep);
                };
                let moved = as_address(base).and_then(|base| Ok((base, as_address(result)?)));
                let within = moved.and_then(|(base, to)| self.within(world, confined, base, to));
                Ok(within.map_or_else(Next::Fault, |()| Next::Remove))
            }
            _ => Ok(Next::Keep),
        }
    }

    fn place(&self, world: &World, thread: usize, at: usize, spots: &[Spot]) -> Result<Next, Stop> {
        match self.was_overtaken(world, thread, at, spots) {
            true => Err(Stop::Dead),
            false => Ok(Next::Place),
        }
    }

    /// Whether something younger was executed that would have had to wait, or to take its value from here.
    pub(super) fn was_overtaken(&self, world: &World, thread: usize, at: usize, spots: &[Spot]) -> bool {
        let pending = &world.threads[thread].pending;
        class(&pending[at].what).is_some()
            && pending[at + 1..].iter().any(|younger| match &younger.what {
                What::Done { spots: done, .. } => conflict(spots, done),
                _ => false,
            })
    }
}
