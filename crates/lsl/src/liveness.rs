//! Which registers are live where: those that some way through the rest of their procedure reads before it
//! writes them.
//!
//! Backwards over the structured body. What is live behind a block is live where it is left; what is live at
//! its head is live where it is started over, which for loops is a fixed point. The procedure's results are read
//! at its end. A conditional jump may go either way, whatever its condition: this is about ways through the
//! text, not about values.

use crate::program::{Label, Operand, Proc, Reg, Stmt, StmtKind};
use rustc_hash::FxHashMap;

/// A set of registers of one procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RegSet {
    words: Vec<u64>,
}

impl RegSet {
    fn place(reg: Reg) -> (usize, u64) {
        (reg.index() / 64, 1 << (reg.index() % 64))
    }

    /// Whether a register is in it.
    pub fn contains(&self, reg: Reg) -> bool {
        let (word, bit) = RegSet::place(reg);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Adds a register.
    pub fn insert(&mut self, reg: Reg) {
        let (word, bit) = RegSet::place(reg);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    /// Takes a register out.
    pub(crate) fn remove(&mut self, reg: Reg) {
        let (word, bit) = RegSet::place(reg);
        if let Some(bits) = self.words.get_mut(word) {
            *bits &= !bit;
        }
    }

    /// Adds all of another set; says whether any of them was new.
    fn extend(&mut self, other: &RegSet) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grew = false;
        for (bits, more) in self.words.iter_mut().zip(&other.words) {
            grew |= *more & !*bits != 0;
            *bits |= more;
        }
        grew
    }

    /// Whether there is none in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|bits| *bits == 0)
    }

    /// Its registers, in order.
    pub fn iter(&self) -> impl Iterator<Item = Reg> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| Reg(64 * word as u32 + bit))
        })
    }
}

impl FromIterator<Reg> for RegSet {
    fn from_iter<T: IntoIterator<Item = Reg>>(regs: T) -> RegSet {
        let mut set = RegSet::default();
        regs.into_iter().for_each(|reg| set.insert(reg));
        set
    }
}

/// What is live in the labelled blocks of a procedure.
pub struct Liveness {
    /// For each block, what is live before each of its statements, nested ones aside, and at its end.
    before: FxHashMap<Label, Vec<RegSet>>,
}

impl Liveness {
    /// Analyses a procedure.
    pub fn of(proc: &Proc) -> Liveness {
        let mut analysis = Analysis { before: FxHashMap::default(), around: Vec::new() };
        analysis.body(&proc.body, proc.results.iter().copied().collect(), None);
        Liveness { before: analysis.before }
    }

    /// What is live before a statement of a labelled block, by its position there; the position behind the last
    /// is the block's end. At position 0, that is the block's head: where `continue` leads.
    pub fn before(&self, block: Label, position: usize) -> &RegSet {
        &self.before[&block][position]
    }
}

struct Analysis {
    before: FxHashMap<Label, Vec<RegSet>>,
    /// The blocks around the statements under way, each with what is live behind it.
    around: Vec<(Label, RegSet)>,
}

impl Analysis {
    /// What is live before a body, given what is live at its end.
    fn body(&mut self, body: &[Stmt], mut live: RegSet, block: Option<Label>) -> RegSet {
        let mut before = vec![live.clone()];
        for stmt in body.iter().rev() {
            live = self.stmt(&stmt.kind, live);
            before.push(live.clone());
        }
        if let Some(label) = block {
            before.reverse();
            self.before.insert(label, before);
        }
        live
    }

    fn stmt(&mut self, kind: &StmtKind, mut live: RegSet) -> RegSet {
        match kind {
            StmtKind::Block { label, body, .. } => return self.block(*label, body, live),
            StmtKind::Atomic(body) => return self.body(body, live, None),
            StmtKind::Break { label, when, .. } => {
                let there = self.around.iter().rfind(|(around, _)| around == label);
                jump(&mut live, there.map(|(_, behind)| behind), *when);
            }
            StmtKind::Continue { label, when } => {
                // What is known so far; a loop comes back until that is all.
                let head = self.before.get(label).map(|before| &before[0]);
                jump(&mut live, head, *when);
            }
            _ => {}
        }
        written(kind).for_each(|reg| live.remove(reg));
        read(kind).for_each(|reg| live.insert(reg));
        live
    }

    fn block(&mut self, label: Label, body: &[Stmt], behind: RegSet) -> RegSet {
        // What an earlier visit found, for a loop around this one, was found for less: it stays true.
        let mut head = self.before.get(&label).map_or(RegSet::default(), |before| before[0].clone());
        self.around.push((label, behind.clone()));
        loop {
            let found = self.body(body, behind.clone(), Some(label));
            if !head.extend(&found) {
                break;
            }
        }
        self.around.pop();
        head
    }
}

/// What is live before a jump: what is live where it leads and, if it has a condition, behind it.
fn jump(live: &mut RegSet, there: Option<&RegSet>, when: Option<Operand>) {
    let there = there.cloned().unwrap_or_default();
    match when {
        None => *live = there,
        Some(_) => _ = live.extend(&there),
    }
}

/// Registers that a statement writes, nested statements aside.
pub fn written(kind: &StmtKind) -> impl Iterator<Item = Reg> {
    let (one, many) = match kind {
        StmtKind::Assign { dst, .. }
        | StmtKind::Load { dst, .. }
        | StmtKind::Alloc { dst, .. }
        | StmtKind::Choose { dst, .. } => (Some(*dst), &[][..]),
        StmtKind::Call { results, .. } => (None, &results[..]),
        StmtKind::Store { .. }
        | StmtKind::Fence(_)
        | StmtKind::Slot(_)
        | StmtKind::Atomic(_)
        | StmtKind::Block { .. }
        | StmtKind::Break { .. }
        | StmtKind::Continue { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Assume { .. }
        | StmtKind::Within { .. }
        | StmtKind::Free { .. }
        | StmtKind::Spawn { .. } => (None, &[][..]),
    };
    one.into_iter().chain(many.iter().copied())
}

/// Registers that a statement reads, nested statements aside.
pub(crate) fn read(kind: &StmtKind) -> impl Iterator<Item = Reg> {
    let (few, many) = match kind {
        StmtKind::Assign { args, .. } | StmtKind::Call { args, .. } | StmtKind::Spawn { args, .. } => {
            ([None, None], &args[..])
        }
        StmtKind::Load { addr, .. } | StmtKind::Free { addr } => ([Some(*addr), None], &[][..]),
        StmtKind::Store { addr, value, .. } => ([Some(*addr), Some(*value)], &[][..]),
        StmtKind::Break { when, .. } | StmtKind::Continue { when, .. } => ([*when, None], &[][..]),
        StmtKind::Assert { cond, .. } | StmtKind::Assume { cond } => ([Some(*cond), None], &[][..]),
        StmtKind::Within { base, result } => ([Some(*base), Some(*result)], &[][..]),
        StmtKind::Alloc { size, .. } => ([Some(*size), None], &[][..]),
        StmtKind::Fence(_)
        | StmtKind::Slot(_)
        | StmtKind::Choose { .. }
        | StmtKind::Atomic(_)
        | StmtKind::Block { .. } => ([None, None], &[][..]),
    };
    few.into_iter().flatten().chain(many.iter().copied()).filter_map(|operand| match operand {
        Operand::Reg(reg) => Some(reg),
        Operand::Const(_) => None,
    })
}
