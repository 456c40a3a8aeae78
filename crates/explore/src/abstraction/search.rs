//! The search for a violation, nearest states first, on exact or abstract buffers.
//!
//! Unlike [`crate::search`], it asks for nothing but faults: not how executions end, nor whether they do. So
//! programs that run for ever are as good as others.

use super::antichain::{Antichain, Join};
use crate::code::small;
use crate::outcome::Statistics;
use crate::search::path_in;
use crate::step::expand::{Expander, Failure, Step};
use crate::step::machine::Machine;
use crate::step::run::Stop;
use fencepost_harness::verdict::Reason;

/// How a search ended.
pub(crate) enum End {
    /// All states were visited; no step fails.
    Safe,
    /// These steps lead to a fault.
    Fault(Vec<Step>),
    /// A limit was reached.
    Stopped(Reason),
    /// Cells turned out to be shared: begin anew.
    Restart,
}

/// Visits all states.
pub(crate) fn search(
    machine: &mut Machine,
    statistics: &mut Statistics,
    progress: &dyn Fn(&Statistics),
) -> End {
    let world = machine.start();
    let (start, _) = machine.pools.encode(&world);
    let mut antichain = machine.pools.rules.map(Antichain::new);
    if let Some(antichain) = &mut antichain {
        antichain.join(&machine.pools, start);
    }
    // Where each state comes from, and whether another one stands for it.
    let mut parents: Vec<Option<(u32, Step)>> = vec![None];
    let mut covered: Vec<bool> = vec![false];
    let mut expander = Expander::default();
    let mut state = 0;
    (statistics.states, statistics.transitions) = (0, 0);
    while state < parents.len() {
        if std::mem::take(&mut covered[state]) {
            state += 1;
            continue;
        }
        statistics.states += 1;
        if let Err(Failure { step, stop }) = expander.expand(machine, small(state)) {
            return match stop {
                // What fails may be owed to accesses that were taken for private.
                Stop::Fault(_) if machine.footprint.grew => End::Restart,
                Stop::Fault(_) => End::Fault(path_in(&parents, small(state), Some(step))),
                Stop::Unsupported(what) => End::Stopped(Reason::Unsupported(what)),
                Stop::Limit(reason) => End::Stopped(reason),
                _ => End::Stopped(Reason::Internal("a step that waits failed".into())),
            };
        }
        statistics.transitions += expander.successors.len() as u64;
        for successor in expander.successors.drain(..).filter(|successor| successor.new) {
            parents.push(Some((small(state), successor.step)));
            covered.push(false);
            if let Some(antichain) = &mut antichain {
                match antichain.join(&machine.pools, successor.state) {
                    Join::Covered(_) => covered[successor.state as usize] = true,
                    Join::Joined(left) => left.iter().for_each(|&left| covered[left as usize] = true),
                }
            }
        }
        if machine.pools.nearly_full() {
            return End::Stopped(Reason::Memory);
        }
        if statistics.states % 16 == 1
            && let Err(reason) = machine.options.budget.spent()
        {
            return End::Stopped(reason.into());
        }
        if statistics.states % 1024 == 1 {
            let held = parents.capacity() * size_of::<Option<(u32, Step)>>();
            let sets = antichain.as_ref().map_or(0, Antichain::bytes);
            statistics.bytes = machine.pools.bytes() + machine.memo.bytes() + sets + held as u64;
            if machine.options.budget.full(statistics.bytes) {
                return End::Stopped(Reason::Memory);
            }
            if machine.footprint.grew {
                return End::Restart;
            }
            progress(statistics);
        }
        if machine.footprint.betrayed() {
            return End::Restart;
        }
        if let Some(limit) = machine.options.budget.states
            && statistics.states > limit
        {
            return End::Stopped(Reason::States { limit });
        }
        state += 1;
    }
    if machine.footprint.grew { End::Restart } else { End::Safe }
}
