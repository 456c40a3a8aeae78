//! Dependencies: which loads an address, a stored value or a branch was computed from.
//!
//! Dependencies are what a machine would see in the instructions: they follow operations and
//! selections, whatever values come out, and end at loads. A selection passes on those of the value it
//! selects. They do not pass through memory; there, the model's own relations connect them.

use super::Encoding;
use crate::circuit::Lit;
use crate::guard::Guard;
use crate::ssa::{Node, ValId};
use crate::unroll::EventKind;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Loads a value depends on, each with when it does.
type Depends = Rc<Vec<(usize, Lit)>>;

/// Dependencies of the whole program, as entries of relations: (load, access, when).
#[derive(Default)]
pub(super) struct Dependencies {
    pub(super) addr: Vec<(usize, usize, Lit)>,
    pub(super) data: Vec<(usize, usize, Lit)>,
    pub(super) ctrl: Vec<(usize, usize, Lit)>,
}

impl Encoding<'_> {
    /// Computes the dependencies of all events but those of the phase with one thread.
    pub(super) fn dependencies(&mut self) -> Dependencies {
        let mut memo: FxHashMap<ValId, Depends> = FxHashMap::default();
        let mut found = Dependencies::default();
        for thread in 0..self.unrolled.threads.len() {
            // Loads on which a branch passed so far depends.
            let mut ctrl: Vec<(usize, Lit)> = Vec::new();
            let mut branch = 0;
            for event in self.unrolled.threads[thread].events.clone() {
                while branch < self.unrolled.events[event].branches {
                    let passed = self.unrolled.threads[thread].branches[branch];
                    let loads = self.depends(passed.cond, &mut memo);
                    let reached = self.guard(passed.guard);
                    for &(load, lit) in loads.iter() {
                        let lit = self.circuit.and(lit, reached);
                        self.add(&mut ctrl, load, lit);
                    }
                    branch += 1;
                }
                let (addr, value) = match self.unrolled.events[event].kind {
                    EventKind::Load { addr, .. } | EventKind::Free { addr } => (Some(addr), None),
                    EventKind::Store { addr, value, .. } => (Some(addr), Some(value)),
                    // A fence comes behind branches, too.
                    EventKind::Alloc { .. } | EventKind::Fence(_) => (None, None),
                    _ => continue,
                };
                if self.unrolled.events[event].solo {
                    continue;
                }
                found.ctrl.extend(ctrl.iter().map(|&(load, lit)| (load, event, lit)));
                if let Some(addr) = addr {
                    let loads = self.depends(addr, &mut memo);
                    found.addr.extend(loads.iter().map(|&(load, lit)| (load, event, lit)));
                }
                if let Some(value) = value {
                    let loads = self.depends(value, &mut memo);
                    found.data.extend(loads.iter().map(|&(load, lit)| (load, event, lit)));
                }
            }
        }
        let own = |&(load, event, _): &(usize, usize, Lit)| {
            !self.unrolled.events[load].solo && self.unrolled.program_order(load, event)
        };
        found.addr.retain(own);
        found.data.retain(own);
        found.ctrl.retain(own);
        found
    }

    fn add(&mut self, list: &mut Vec<(usize, Lit)>, load: usize, lit: Lit) {
        match list.iter_mut().find(|(other, _)| *other == load) {
            Some((_, before)) => *before = self.circuit.or(*before, lit),
            None => list.push((load, lit)),
        }
    }

    fn depends(&mut self, id: ValId, memo: &mut FxHashMap<ValId, Depends>) -> Depends {
        if let Some(known) = memo.get(&id) {
            return known.clone();
        }
        let mut loads = Vec::new();
        match self.unrolled.values.node(id).clone() {
            Node::Const(_) | Node::Choice(_) => {}
            Node::Load(event) => loads.push((event as usize, Lit::TRUE)),
            Node::Checked(_, inner) => return self.depends(inner, memo),
            Node::Op(_, args) => {
                for arg in args {
                    for &(load, lit) in self.depends(arg, memo).iter() {
                        self.add(&mut loads, load, lit);
                    }
                }
            }
            Node::Select(guard, yes, no) => {
                let test = self.guard(guard);
                debug_assert!(guard != Guard::TRUE && guard != Guard::FALSE);
                for (way, value) in [(test, yes), (!test, no)] {
                    for &(load, lit) in self.depends(value, memo).iter() {
                        let lit = self.circuit.and(lit, way);
                        self.add(&mut loads, load, lit);
                    }
                }
            }
        }
        let loads = Rc::new(loads);
        memo.insert(id, loads.clone());
        loads
    }
}
