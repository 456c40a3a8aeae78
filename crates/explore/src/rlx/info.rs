//! What the machine knows of the code beforehand: labels, atomic blocks, loops that may be left out.

use super::rules::{Effect, Kinds};
use crate::code::small;
use crate::code::{Code, Instr, Src};
use fencepost_lsl::program::Order;
use fencepost_lsl::value::IntTy;
use rustc_hash::{FxHashMap, FxHashSet};

/// An atomic block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Its last instruction, which leaves it.
    pub(super) end: u32,
    /// How it may go; nearly always only one way matters.
    pub(super) ways: Vec<Way>,
    /// Whether these are all ways, and not one that stands for all.
    pub(super) exact: bool,
    /// Registers it needs.
    pub(super) inputs: Vec<u32>,
    /// Registers it may write.
    pub(super) outputs: Vec<u32>,
    pub(super) effect: Effect,
    /// Whether it stores on some paths only.
    pub(super) conditional: bool,
    /// Whether it has branches: stores behind it wait for them.
    pub(super) branches: bool,
    /// Its accesses, if their addresses do not depend on what it loads: address (an input's index or a
    /// constant), width, whether it stores.
    pub(super) accesses: Option<Vec<(Src, IntTy, bool)>>,
}

/// How a block goes, as far as others can be concerned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Way {
    /// Where it goes on; nearly always behind its end.
    pub(super) exit: u32,
    /// Whether it stores.
    pub(super) stores: bool,
    pub(super) fences: Fences,
}

/// What fences inside of a block order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Fences {
    /// What is before the block with the block.
    pub(super) before: Kinds,
    /// The block with what is behind it.
    pub(super) after: Kinds,
    /// What is before it with what is behind it.
    pub(super) through: Kinds,
}

/// What happens in a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Access(Effect),
    Fence(Kinds),
}

impl Item {
    fn effect(&self) -> Effect {
        match self {
            Item::Access(effect) => *effect,
            Item::Fence(_) => Effect::default(),
        }
    }

    /// What an instruction adds; a C11 order becomes the fences that it stands for.
    pub(super) fn list(instr: &Instr, items: &mut Vec<Item>) {
        match instr {
            Instr::Load { order, failing, .. } => {
                items.push(Item::Access(Effect::LOAD));
                if order.acquires() && failing.is_none_or(Order::acquires) {
                    items.push(Item::Fence(Kinds::ACQUIRE));
                }
            }
            Instr::Store { order, .. } => {
                if order.releases() {
                    items.push(Item::Fence(Kinds::RELEASE));
                }
                items.push(Item::Access(Effect::STORE));
                if *order == Order::SeqCst {
                    items.push(Item::Fence(Kinds::STORES_BEFORE_LOADS));
                }
            }
            Instr::Fence(fence) => items.push(Item::Fence(Kinds::of(*fence))),
            _ => {}
        }
    }
}

fn effect(items: &[Item]) -> Effect {
    items.iter().fold(Effect::default(), |all, item| all.and(item.effect()))
}

impl Way {
    /// A way on which these things happen in order.
    pub(super) fn new(exit: u32, items: &[Item]) -> Way {
        let mut fences = Fences::default();
        for (at, item) in items.iter().enumerate() {
            if let Item::Fence(kinds) = item {
                fences.before = fences.before.with(kinds.before(effect(&items[at..])));
                fences.after = fences.after.with(kinds.after(effect(&items[..at])));
                fences.through = fences.through.with(*kinds);
            }
        }
        Way { exit, stores: effect(items).stores, fences }
    }
}

/// Static facts.
pub(super) struct Info {
    /// Blocks by their first instruction.
    pub(super) blocks: FxHashMap<u32, Block>,
    /// Loops whose rounds change nothing but memory, from their head to their last jump back.
    pub(super) pure: Vec<(u32, u32)>,
}

impl Info {
    pub(super) fn new(code: &Code) -> Info {
        let mut blocks = FxHashMap::default();
        let mut pc = 0;
        while pc < small(code.instrs.len()) {
            if matches!(code.instrs[pc as usize], Instr::Enter) {
                let block = block(code, pc);
                let end = block.end;
                blocks.insert(pc, block);
                pc = end;
            }
            pc += 1;
        }
        Info { blocks, pure: pure_loops(code) }
    }

    /// Whether an instruction is the head of a loop whose rounds change nothing but memory.
    pub(super) fn is_head(&self, pc: u32) -> bool {
        self.pure.iter().any(|(head, _)| *head == pc)
    }

    /// Whether it belongs to such a loop.
    pub(super) fn in_pure(&self, pc: u32) -> bool {
        self.pure.iter().any(|(head, last)| (*head..=*last).contains(&pc))
    }
}

/// The block that starts at an instruction.
fn block(code: &Code, start: u32) -> Block {
    let mut depth = 0u32;
    let mut end = start;
    loop {
        match code.instrs[end as usize] {
            Instr::Enter => depth += 1,
            Instr::Leave if depth == 1 => break,
            Instr::Leave => depth -= 1,
            _ => {}
        }
        end += 1;
    }
    let (mut inputs, mut written): (Vec<u32>, FxHashSet<u32>) = (Vec::new(), FxHashSet::default());
    let mut accesses = Some(Vec::new());
    let mut jumps = false;
    for pc in start..=end {
        let instr = &code.instrs[pc as usize];
        instr.reads(|src| {
            if src >= 0 && code.live[start as usize].contains(&(src as u32)) {
                inputs.push(src as u32);
            }
        });
        match instr {
            Instr::JumpIf { .. } => jumps = true,
            Instr::Call { .. } => (jumps, accesses) = (true, None),
            Instr::Load { addr, ty, .. } | Instr::Store { addr, ty, .. } => {
                let stores = matches!(instr, Instr::Store { .. });
                let fixed = *addr < 0 || !written.contains(&(*addr as u32));
                match &mut accesses {
                    Some(accesses) if fixed => accesses.push((*addr, *ty, stores)),
                    _ => accesses = None,
                }
            }
            _ => {}
        }
        instr.writes(|reg| _ = written.insert(reg));
    }
    // What it may leave as it is must be known to come out of it.
    inputs.extend(written.iter().filter(|reg| code.live[start as usize].contains(reg)));
    inputs.sort_unstable();
    inputs.dedup();
    let mut outputs: Vec<u32> = written.into_iter().collect();
    outputs.sort_unstable();
    let mut text = Vec::new();
    linear(code, start, end + 1, 0, &mut text);
    let effect = effect(&text);
    let mut ways = Vec::new();
    let exact = follow(code, start, end, &mut ways);
    if !exact {
        ways = vec![Way::new(end + 1, &text)];
    }
    let conditional = effect.stores && jumps;
    let branches = branches(code, start, end, 0);
    Block { end, ways, exact, inputs, outputs, effect, conditional, branches, accesses }
}

/// Paths through a block after which one stands for all.
const MOST_WAYS: usize = 64;

/// Lists the ways that a block may go. False if they cannot all be listed.
fn follow(code: &Code, start: u32, end: u32, ways: &mut Vec<Way>) -> bool {
    let mut open = vec![(start, Vec::new())];
    let mut paths = 0;
    while let Some((mut pc, mut items)) = open.pop() {
        while (start..=end).contains(&pc) {
            let instr = &code.instrs[pc as usize];
            Item::list(instr, &mut items);
            match instr {
                Instr::Jump { to, .. } | Instr::JumpIf { to, .. } if *to <= pc => return false,
                Instr::Jump { to, .. } => pc = *to,
                Instr::JumpIf { to, .. } => {
                    open.push((*to, items.clone()));
                    pc += 1;
                }
                Instr::Call { .. } => return false,
                _ => pc += 1,
            }
        }
        let way = Way::new(pc, &items);
        if !ways.contains(&way) {
            ways.push(way);
        }
        paths += 1;
        if paths > MOST_WAYS {
            return false;
        }
    }
    true
}

/// Calls inside of calls after which a recursion is taken for one.
const DEEPEST: u32 = 16;

/// Lists what stands between two positions, in the order of the text, and in what is called there.
fn linear(code: &Code, start: u32, end: u32, depth: u32, items: &mut Vec<Item>) {
    for pc in start..end {
        let instr = &code.instrs[pc as usize];
        Item::list(instr, items);
        if let Instr::Call { proc, .. } = instr
            && depth < DEEPEST
        {
            let callee = &code.procs[*proc as usize];
            linear(code, callee.entry, callee.end, depth + 1, items);
        }
    }
}

/// Whether there is a branch between two positions, or in what is called there.
fn branches(code: &Code, start: u32, end: u32, depth: u32) -> bool {
    (start..end).any(|pc| match &code.instrs[pc as usize] {
        Instr::JumpIf { predicated, .. } => !predicated,
        Instr::Assume { .. } => true,
        Instr::Call { proc, .. } => {
            let callee = &code.procs[*proc as usize];
            depth >= DEEPEST || branches(code, callee.entry, callee.end, depth + 1)
        }
        _ => false,
    })
}

/// Loops of which a round that stores nothing leaves everything as it was: no register that matters at their
/// head is written in them, and no object is made. Only innermost ones: what is called has no loops.
fn pure_loops(code: &Code) -> Vec<(u32, u32)> {
    let mut loops: FxHashMap<u32, u32> = FxHashMap::default();
    for (pc, instr) in code.instrs.iter().enumerate() {
        if let Instr::Jump { to, .. } | Instr::JumpIf { to, .. } = instr
            && *to <= small(pc)
        {
            let last = loops.entry(*to).or_insert(small(pc));
            *last = (*last).max(small(pc));
        }
    }
    let mut pure: Vec<(u32, u32)> =
        loops.into_iter().filter(|(head, last)| is_pure(code, *head, *last)).collect();
    pure.sort_unstable();
    pure
}

fn is_pure(code: &Code, head: u32, last: u32) -> bool {
    let live = &code.live[head as usize];
    let inside = |pc: u32| {
        let instr = &code.instrs[pc as usize];
        let mut kept = true;
        instr.writes(|reg| kept &= !live.contains(&reg));
        kept && match instr {
            Instr::Jump { to, .. } | Instr::JumpIf { to, .. } => *to > pc || *to == head,
            Instr::Call { proc, .. } => harmless(code, *proc, 0),
            _ => !makes(instr),
        }
    };
    (head..=last).all(inside)
}

/// Whether a procedure has no loops and makes nothing.
fn harmless(code: &Code, proc: u32, depth: u32) -> bool {
    let proc = &code.procs[proc as usize];
    depth < DEEPEST
        && (proc.entry..proc.end).all(|pc| match &code.instrs[pc as usize] {
            Instr::Jump { to, .. } | Instr::JumpIf { to, .. } => *to > pc,
            Instr::Call { proc, .. } => harmless(code, *proc, depth + 1),
            instr => !makes(instr),
        })
}

/// Whether an instruction makes or ends something besides values, or chooses.
fn makes(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Alloc { .. }
            | Instr::Free { .. }
            | Instr::Spawn { .. }
            | Instr::Launch { .. }
            | Instr::Choose { .. }
            | Instr::Begin { .. }
            | Instr::End { .. }
    )
}
