//! Which thread runs: a hidden last argument of those functions that may ask.
//!
//! A started thread is known by its control block, which whoever starts it makes; the main thread is 1. An operation of a
//! test is not told which thread calls it: there, nobody is known, and 0 stands for that. A function gets the argument if
//! it mentions one that has it, or calls through a pointer; where nobody needs it, it costs a register and changes
//! nothing.

use super::{Lowerer, Value, visit};
use crate::ast::Symbol;
use fencepost_lsl::program::Operand;
use rustc_hash::FxHashSet;

/// What the model headers ask by.
const SELF: &str = "__fencepost_self";

impl<'u> Lowerer<'u> {
    /// Finds the functions that ask which thread runs. All functions must be declared.
    pub(super) fn find_asking(&mut self) {
        let Some(asked) = self.names.find(SELF) else { return };
        let mentions: Vec<(Symbol, FxHashSet<Symbol>, bool)> = self
            .functions
            .declared
            .iter()
            .filter_map(|(&symbol, declared)| {
                let is_function = |name: Symbol| self.functions.declared.contains_key(&name) || name == asked;
                let (names, indirect) = visit::mentioned(&declared.body?.body, &is_function);
                Some((symbol, names, indirect))
            })
            .collect();
        let mut asking = FxHashSet::from_iter([asked]);
        loop {
            let before = asking.len();
            for (symbol, names, indirect) in &mentions {
                if *indirect || !names.is_disjoint(&asking) {
                    asking.insert(*symbol);
                }
            }
            if asking.len() == before {
                break;
            }
        }
        self.functions.asking = asking;
    }

    /// Whether a function has the hidden argument.
    pub(super) fn asks(&self, function: Symbol) -> bool {
        self.functions.asking.contains(&function) && self.text(function) != "main"
    }

    /// Whether calls through pointers have it.
    pub(super) fn pointers_ask(&self) -> bool {
        !self.functions.asking.is_empty()
    }

    /// What is handed to functions that ask.
    pub(super) fn hidden_argument(&self) -> Operand {
        self.builder.thread.unwrap_or(0.into())
    }

    /// The thread that runs, as a pointer; 0 if it is not known.
    pub(super) fn current_thread(&mut self) -> Value {
        let void = self.types.void();
        let pointer = self.types.pointer(void);
        Value::word(pointer, self.hidden_argument())
    }
}
