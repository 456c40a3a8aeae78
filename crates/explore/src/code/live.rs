//! What a thread must remember at each position: registers that may still be read before they are written.
//! All others are left out of states, so that states that differ only in them are one.
//!
//! # Soundness
//!
//! A register that is not live is written before it is read on every path, so its value reaches nothing.

use crate::code::small;
use crate::code::{Code, Instr};

type Bits = Vec<u64>;

/// Fills in `live` and what runs inside of atomic blocks.
pub(crate) fn analyse(code: &mut Code) {
    let mut live: Vec<Box<[u32]>> = vec![Box::default(); code.instrs.len()];
    for number in 0..code.procs.len() {
        let proc = &code.procs[number];
        let sets = solve(code, number);
        for pc in proc.entry..proc.end {
            let mut set = match &code.instrs[pc as usize] {
                Instr::Call { results, .. } => {
                    // While it is under way, its results are still to come.
                    let mut set = sets[(pc + 1 - proc.entry) as usize].clone();
                    results.iter().for_each(|reg| remove(&mut set, *reg));
                    set
                }
                _ => sets[(pc - proc.entry) as usize].clone(),
            };
            live[pc as usize] = list(&mut set);
        }
    }
    code.live = live;
    spread_atomic(code);
}

/// Sets of live registers before each instruction of a procedure, until nothing changes.
fn solve(code: &Code, number: usize) -> Vec<Bits> {
    let proc = &code.procs[number];
    let words = (proc.regs as usize).div_ceil(64).max(1);
    let length = (proc.end - proc.entry) as usize;
    let mut sets: Vec<Bits> = vec![vec![0; words]; length + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..length).rev() {
            let instr = &code.instrs[proc.entry as usize + at];
            let mut set = match instr {
                Instr::Jump { to, .. } => sets[(to - proc.entry) as usize].clone(),
                Instr::Return | Instr::Exit => vec![0; words],
                _ => sets[at + 1].clone(),
            };
            if let Instr::JumpIf { to, .. } = instr {
                let other = &sets[(to - proc.entry) as usize];
                set.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
            }
            instr.writes(|reg| remove(&mut set, reg));
            instr.reads(|src| {
                if src >= 0 {
                    insert(&mut set, src as u32);
                }
            });
            for reg in implicit(code, number, instr) {
                insert(&mut set, reg);
            }
            if set != sets[at] {
                sets[at] = set;
                changed = true;
            }
        }
    }
    sets
}

/// Registers that an instruction reads without naming them.
fn implicit(code: &Code, number: usize, instr: &Instr) -> Vec<u32> {
    let of_call = |call: u32, results: bool| {
        let site = &code.calls[call as usize];
        let args = site.args.iter().filter(|src| **src >= 0).map(|src| *src as u32);
        args.chain(site.results.iter().copied().filter(move |_| results)).collect()
    };
    match instr {
        Instr::Return | Instr::Exit => code.procs[number].results.clone(),
        Instr::Begin { call } => of_call(*call, false),
        Instr::End { call } => of_call(*call, true),
        Instr::Launch { .. } => code.initial.iter().flat_map(|call| of_call(*call, true)).collect(),
        _ => Vec::new(),
    }
}

fn insert(set: &mut Bits, reg: u32) {
    set[reg as usize / 64] |= 1 << (reg % 64);
}

fn remove(set: &mut Bits, reg: u32) {
    set[reg as usize / 64] &= !(1 << (reg % 64));
}

fn list(set: &mut Bits) -> Box<[u32]> {
    let mut found = Vec::new();
    for (number, word) in set.iter_mut().enumerate() {
        while *word != 0 {
            found.push(small(number) * 64 + word.trailing_zeros());
            *word &= *word - 1;
        }
    }
    found.into()
}

/// Marks procedures that are called inside of atomic blocks, and what they call.
fn spread_atomic(code: &mut Code) {
    loop {
        let mut called: Vec<usize> = Vec::new();
        for (pc, instr) in code.instrs.iter().enumerate() {
            if let Instr::Call { proc, .. } = instr
                && code.atomic[pc]
                && !code.atomic[code.procs[*proc as usize].entry as usize]
            {
                called.push(*proc as usize);
            }
        }
        if called.is_empty() {
            return;
        }
        for proc in called {
            let range = code.procs[proc].entry as usize..code.procs[proc].end as usize;
            code.atomic[range].fill(true);
        }
    }
}
