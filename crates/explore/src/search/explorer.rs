//! The search: depth first, or breadth first for the shortest counterexample.
//!
//! Every state is expanded once, by all its threads. A state in which nothing can go on is judged: all
//! threads are done, or it is stuck. Threads that spin keep a stuck state going in a circle. From a stuck
//! state only stuck states can be reached, and by steps that others do not notice. So the search looks for
//! stuck states, depth first, when it leaves a state from which it has seen no noticeable step; breadth
//! first, where an edge leads to a state seen before, as one does in every circle.

use crate::judge::stuck::{Rest, rest};
use crate::judge::{Judge, Judgement};
use crate::options::Search;
use crate::outcome::Statistics;
use crate::step::expand::{Expander, Failure, Step};
use crate::step::machine::Machine;
use crate::step::run::Stop;
use fencepost_harness::result::Wrong;
use fencepost_harness::verdict::Reason;

/// How a search ended.
pub(crate) enum End {
    /// All states were visited.
    Done,
    /// A violation, after these steps.
    Violated(Wrong, Vec<Step>),
    /// A limit was reached.
    Stopped(Reason),
    /// Cells turned out to be shared: begin anew.
    Restart,
}

/// A state on the way to the current one.
struct Visit {
    state: u32,
    /// Its successors that are still to be visited, as positions in `pending`.
    next: usize,
    end: usize,
    /// Whether a step that others notice was seen from here on.
    loud: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    /// Not visited.
    White,
    /// On the way to the current state.
    Grey,
    /// Visited; a step that others notice, or an end, was seen from here on.
    Loud,
    /// Visited, and none was seen.
    Quiet,
}

pub(crate) struct Explorer<'m, 'a, 'j> {
    pub(crate) machine: &'m mut Machine<'a>,
    pub(crate) judge: &'m mut Judge<'j>,
    pub(crate) statistics: Statistics,
    pub(crate) expander: Expander,
    progress: &'m dyn Fn(&Statistics),
    /// The way to an execution that ends well.
    pub(crate) witness: Option<Vec<Step>>,
    /// The way to a state in which threads wait for ever.
    pub(crate) waiting: Option<Vec<Step>>,
    colors: Vec<Color>,
    /// Breadth first: where each state comes from.
    parents: Vec<Option<(u32, Step)>>,
    /// When something was first learned about cells.
    grew_at: Option<u64>,
}

impl<'m, 'a, 'j> Explorer<'m, 'a, 'j> {
    pub(crate) fn new(
        machine: &'m mut Machine<'a>,
        judge: &'m mut Judge<'j>,
        progress: &'m dyn Fn(&Statistics),
    ) -> Explorer<'m, 'a, 'j> {
        Explorer {
            machine,
            judge,
            statistics: Statistics::default(),
            expander: Expander::default(),
            progress,
            witness: None,
            waiting: None,
            colors: Vec::new(),
            parents: Vec::new(),
            grew_at: None,
        }
    }

    /// Explores all states.
    pub(crate) fn explore(&mut self) -> End {
        let world = self.machine.start();
        let (start, _) = self.machine.pools.encode(&world);
        let end = match self.machine.options.search {
            Search::Depth => self.depth_first(start),
            Search::Breadth => self.breadth_first(start),
        };
        self.statistics.states = self.machine.pools.states.len() as u64;
        self.statistics.bytes = self.bytes();
        match end {
            End::Done if self.machine.footprint.grew => End::Restart,
            end => end,
        }
    }

    fn depth_first(&mut self, start: u32) -> End {
        let mut stack: Vec<Visit> = Vec::new();
        // Successors of all states on the stack, and the steps that lead to them.
        let mut pending: Vec<(u32, Step)> = Vec::new();
        let path = |stack: &[Visit], pending: &[(u32, Step)]| -> Vec<Step> {
            stack.iter().map(|visit| pending[visit.next - 1].1.clone()).collect()
        };
        let mut entering = Some(start);
        loop {
            if let Some(state) = entering.take() {
                self.color(state, Color::Grey);
                if let Err(Failure { step, stop }) = self.expander.expand(self.machine, state) {
                    let mut path = path(&stack, &pending);
                    path.push(step);
                    return failed(stop, path);
                }
                self.statistics.transitions += self.expander.successors.len() as u64;
                self.note_exit(&|| path(&stack, &pending));
                if self.expander.successors.is_empty()
                    && let Some(end) = self.judge_end(&|| path(&stack, &pending))
                {
                    return end;
                }
                let ends = self.expander.successors.is_empty();
                let loud = ends || self.expander.successors.iter().any(|s| s.loud);
                let end = pending.len() + self.expander.successors.len();
                stack.push(Visit { state, next: pending.len(), end, loud });
                pending.extend(self.expander.successors.drain(..).map(|s| (s.state, s.step)));
                let held =
                    pending.capacity() * size_of::<(u32, Step)>() + stack.capacity() * size_of::<Visit>();
                if let Some(end) = self.poll(held) {
                    return end;
                }
            }
            let Some(visit) = stack.last_mut() else { return End::Done };
            if visit.next < visit.end {
                let (state, _) = pending[visit.next];
                visit.next += 1;
                match self.colors.get(state as usize) {
                    None | Some(Color::White) => entering = Some(state),
                    Some(Color::Loud) => visit.loud = true,
                    Some(Color::Grey | Color::Quiet) => {}
                }
                continue;
            }
            let Visit { state, loud, .. } = *visit;
            stack.pop();
            if !loud {
                self.machine.pools.decode(state, &mut self.expander.world);
                if let Some(end) = self.judge_circle(&|| path(&stack, &pending)) {
                    return end;
                }
            }
            self.color(state, if loud { Color::Loud } else { Color::Quiet });
            if let Some(visit) = stack.last_mut() {
                visit.loud |= loud;
            }
            pending.truncate(stack.last().map_or(0, |visit| visit.end));
        }
    }

    fn color(&mut self, state: u32, color: Color) {
        if self.colors.len() <= state as usize {
            self.colors.resize(state as usize + 1, Color::White);
        }
        self.colors[state as usize] = color;
    }

    fn breadth_first(&mut self, start: u32) -> End {
        self.parents.push(None);
        let mut state = start;
        while (state as usize) < self.machine.pools.states.len() {
            if let Err(Failure { step, stop }) = self.expander.expand(self.machine, state) {
                return failed(stop, path_in(&self.parents, state, Some(step)));
            }
            self.statistics.transitions += self.expander.successors.len() as u64;
            let parents = std::mem::take(&mut self.parents);
            let path = || path_in(&parents, state, None);
            self.note_exit(&path);
            let successors = &self.expander.successors;
            let circles = successors.iter().any(|s| !s.new) && !successors.iter().any(|s| s.loud);
            let end = match successors.is_empty() {
                true => self.judge_end(&path),
                false if circles => self.judge_circle(&path),
                false => None,
            };
            self.parents = parents;
            if let Some(end) = end {
                return end;
            }
            for successor in self.expander.successors.drain(..).filter(|s| s.new) {
                self.parents.push(Some((state, successor.step)));
            }
            if let Some(end) = self.poll(0) {
                return end;
            }
            state += 1;
        }
        End::Done
    }

    /// Notes whether the execution may end in the state just expanded because a thread calls `exit`. Of a closed program that
    /// is an end like any other. Calls of a test or a client that have not returned then never will, and nobody waits for
    /// them: there is nothing to compare.
    fn note_exit(&mut self, path: &dyn Fn() -> Vec<Step>) {
        if self.expander.exits && self.judge.closed {
            self.statistics.complete += 1;
            self.witness.get_or_insert_with(path);
        }
    }

    /// Judges the state just expanded, from which there are no steps.
    fn judge_end(&mut self, path: &dyn Fn() -> Vec<Step>) -> Option<End> {
        if !self.judge.complete(self.machine, &self.expander.world) {
            return self.judge_circle(path);
        }
        self.statistics.complete += 1;
        let judgement = self.judge.judge_complete(self.machine, &self.expander.world);
        self.weigh(judgement, path)
    }

    /// Judges the state just expanded or left, if it is stuck.
    fn judge_circle(&mut self, path: &dyn Fn() -> Vec<Step>) -> Option<End> {
        let judgement = match rest(self.machine, &self.expander.world) {
            Ok(Rest::Stuck(threads)) => {
                self.statistics.stuck += 1;
                self.waiting.get_or_insert_with(path);
                self.judge.judge_stuck(self.machine, &self.expander.world, &threads)
            }
            Ok(Rest::Going | Rest::Over) => return None,
            Err(reason) => return Some(End::Stopped(reason)),
        };
        self.weigh(judgement, path)
    }

    fn weigh(&mut self, judgement: Judgement, path: &dyn Fn() -> Vec<Step>) -> Option<End> {
        match judgement {
            Judgement::Good => {
                self.witness.get_or_insert_with(path);
                None
            }
            Judgement::Neither => None,
            Judgement::Bad(violation) => Some(End::Violated(violation, path())),
            Judgement::Unknown(reason) => Some(End::Stopped(reason)),
        }
    }

    fn bytes(&self) -> u64 {
        let parents = self.parents.capacity() * size_of::<Option<(u32, Step)>>();
        self.machine.pools.bytes() + self.machine.memo.bytes() + (self.colors.capacity() + parents) as u64
    }

    /// Whether to go on. `held` are bytes that the search itself holds.
    fn poll(&mut self, held: usize) -> Option<End> {
        let states = self.machine.pools.states.len() as u64;
        let budget = &self.machine.options.budget;
        if let Some(limit) = budget.states
            && states > limit
        {
            return Some(End::Stopped(Reason::States { limit }));
        }
        if self.machine.footprint.grew {
            // What was learned makes this exploration incomplete. It goes on for a while to learn more.
            let at = *self.grew_at.get_or_insert(states);
            if states > 2 * at + 5_000 {
                return Some(End::Restart);
            }
        }
        if !self.machine.alike.holds || self.machine.footprint.betrayed() {
            return Some(End::Restart);
        }
        self.statistics.states += 1;
        if self.machine.pools.nearly_full() {
            return Some(End::Stopped(Reason::Memory));
        }
        // An expansion may run many instructions, so time is looked at often.
        if self.statistics.states % 16 == 1
            && let Err(reason) = budget.spent()
        {
            return Some(End::Stopped(reason.into()));
        }
        if self.machine.is_full() {
            return Some(End::Stopped(Reason::Memory));
        }
        if self.statistics.states % 4096 != 1 {
            return None;
        }
        let budget = &self.machine.options.budget;
        if budget.full(self.bytes() + held as u64) {
            return Some(End::Stopped(Reason::Memory));
        }
        (self.progress)(&self.statistics);
        None
    }
}

/// The steps to a state, given where each comes from, and a last one.
pub(crate) fn path_in(parents: &[Option<(u32, Step)>], mut state: u32, last: Option<Step>) -> Vec<Step> {
    let mut path = Vec::from_iter(last);
    while let Some((parent, step)) = &parents[state as usize] {
        path.push(step.clone());
        state = *parent;
    }
    path.reverse();
    path
}

fn failed(stop: Stop, path: Vec<Step>) -> End {
    match stop {
        Stop::Fault(_) => End::Violated(Wrong::Fault, path),
        Stop::Unexplained => End::Violated(Wrong::Unexplained, path),
        Stop::Unsupported(what) => End::Stopped(Reason::Unsupported(what)),
        Stop::Limit(reason) => End::Stopped(reason),
        Stop::Blocked | Stop::Pruned | Stop::Exited | Stop::Again(_) => {
            End::Stopped(Reason::Internal("a step that waits failed".into()))
        }
    }
}
