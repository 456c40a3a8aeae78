//! The procedures that a thread has under way, with their registers: how operands are read and procedures called, whatever
//! it is that registers hold.
//!
//! [`crate::step::run`] has values in them, and `rlx` operands that may not be known yet.

use super::{Code, Instr, Src, small};
use fencepost_lsl::interp::{MAX_CALLS, too_deep};
use fencepost_lsl::value::Value;

/// A procedure under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Frame {
    /// The next instruction; for all but the innermost, the call under way.
    pub(crate) pc: u32,
    /// Where its registers start.
    pub(crate) base: u32,
}

/// Procedures under way and their registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Registers<V> {
    /// Outermost first.
    pub(crate) frames: Vec<Frame>,
    /// Those of all procedures, one behind the other.
    pub(crate) values: Vec<V>,
}

impl<V: Copy + From<Value>> Registers<V> {
    /// Those of a thread that is about to run a driver.
    pub(crate) fn of_driver(code: &Code, driver: u32, args: &[V]) -> Registers<V> {
        let proc = &code.procs[driver as usize];
        let mut values = vec![V::from(Value::UNDEFINED); proc.regs as usize];
        for (param, arg) in proc.params.iter().zip(args) {
            values[*param as usize] = *arg;
        }
        Registers { frames: vec![Frame { pc: proc.entry, base: 0 }], values }
    }

    /// The innermost procedure.
    #[inline]
    pub(crate) fn top(&self) -> Frame {
        self.frames[self.frames.len() - 1]
    }

    #[inline]
    pub(crate) fn pc(&self) -> u32 {
        self.top().pc
    }

    /// Goes on elsewhere in the innermost procedure.
    #[inline]
    pub(crate) fn goto(&mut self, pc: u32) {
        let last = self.frames.len() - 1;
        self.frames[last].pc = pc;
    }

    #[inline]
    pub(crate) fn get(&self, code: &Code, src: Src) -> V {
        if src < 0 {
            return code.consts[!src as usize].into();
        }
        self.values[self.top().base as usize + src as usize]
    }

    #[inline]
    pub(crate) fn set(&mut self, reg: u32, value: V) {
        let base = self.top().base;
        self.values[(base + reg) as usize] = value;
    }

    /// Calls a procedure, from the call that is next. Fails if too many calls are under way.
    pub(crate) fn call(&mut self, code: &Code, proc: u32, args: &[Src]) -> Result<(), String> {
        // The driver's frame is none of the calls.
        if self.frames.len() > MAX_CALLS {
            return Err(too_deep());
        }
        let (callee, caller) = (&code.procs[proc as usize], self.top());
        let base = (caller.base + code.proc_at(caller.pc).regs) as usize;
        self.values.truncate(base);
        self.values.resize(base + callee.regs as usize, Value::UNDEFINED.into());
        for (param, arg) in callee.params.iter().zip(args) {
            self.values[base + *param as usize] = self.get(code, *arg);
        }
        self.frames.push(Frame { pc: callee.entry, base: small(base) });
        Ok(())
    }

    /// Returns from the innermost procedure, to the call.
    pub(crate) fn leave(&mut self, code: &Code) {
        let inner = self.frames.pop().expect("a procedure is under way");
        let (callee, outer) = (code.proc_at(inner.pc), self.top());
        if let Instr::Call { results, .. } = &code.instrs[outer.pc as usize] {
            for (from, to) in callee.results.iter().zip(results.iter()) {
                self.values[(outer.base + to) as usize] = self.values[(inner.base + from) as usize];
            }
        }
        self.values.truncate(inner.base as usize);
    }
}
