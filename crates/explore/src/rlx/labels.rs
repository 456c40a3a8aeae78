//! Labels: the accesses of a program that constraints speak of.
//!
//! A label is a load, a store or an atomic block of the source. Code that is compiled twice, for primed calls,
//! has the same labels.

use super::info::Info;
use super::rules::Effect;
use crate::code::small;
use crate::code::{Code, Instr};
use fencepost_lsl::program::{ProcId, Program};
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;

/// An access of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The function it stands in.
    pub function: String,
    /// The function's number, and how many of its instructions come before the access.
    pub at: (ProcId, u32),
    /// Where it stands.
    pub span: Span,
    /// What it does.
    pub effect: Effect,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// By number.
    pub all: Vec<Label>,
    /// Numbers by position in the code; none for what is no access.
    at: Vec<Option<u32>>,
}

impl Labels {
    pub(super) fn new(code: &Code, program: &Program) -> Labels {
        let info = Info::new(code);
        let mut labels = Labels { all: Vec::new(), at: vec![None; code.instrs.len()] };
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for proc in &code.procs {
            let Some(id) = proc.proc else { continue };
            let mut pc = proc.entry;
            while pc < proc.end {
                let (effect, next) = match &code.instrs[pc as usize] {
                    Instr::Load { .. } => (Effect::LOAD, pc + 1),
                    Instr::Store { .. } => (Effect::STORE, pc + 1),
                    Instr::Enter => (info.blocks[&pc].effect, info.blocks[&pc].end + 1),
                    _ => (Effect::default(), pc + 1),
                };
                if effect != Effect::default() {
                    let number = *known.entry((id.0, pc - proc.entry)).or_insert_with(|| {
                        let function = program.proc(id).name.clone();
                        let at = (id, pc - proc.entry);
                        labels.all.push(Label { function, at, span: code.spans[pc as usize], effect });
                        small(labels.all.len()) - 1
                    });
                    labels.at[pc as usize] = Some(number);
                }
                pc = next;
            }
        }
        labels
    }

    /// The label of an instruction.
    pub fn of(&self, pc: u32) -> Option<u32> {
        self.at[pc as usize]
    }
}
