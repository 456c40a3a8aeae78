//! Threads as words: for each procedure under way its position, and the values of the registers that are live there.

use super::{Phase, Pools};
use crate::code::registers::{Frame, Registers};
use crate::code::{Code, Instr, small};
use fencepost_lsl::value::Value;

/// Bit of a thread's first word: it waits to be started.
const WAITING: u64 = 1 << 63;
/// Bit of a frame's word: undefined bits follow.
const UNDEFINED: u64 = 1 << 62;

impl Pools {
    /// The number of a thread.
    pub(crate) fn intern_thread(&mut self, code: &Code, thread: &Registers<Value>, waits: bool) -> u32 {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        for frame in &thread.frames {
            let head = words.len();
            words.push(frame.pc as u64);
            let live = &code.live[frame.pc as usize];
            let values = live.iter().map(|reg| thread.values[frame.base as usize + *reg as usize]);
            let mut undefined = 0;
            for value in values.clone() {
                words.push(value.bits());
                undefined |= value.undef();
            }
            if undefined != 0 {
                words[head] |= UNDEFINED;
                words.extend(values.map(Value::undef));
            }
        }
        if waits {
            words[0] |= WAITING;
        }
        let phase = match code.instrs[thread.pc() as usize] {
            _ if waits => Phase::Waiting,
            Instr::Exit => Phase::Finished,
            _ => Phase::Running,
        };
        let number = self.intern_thread_words(code, &words, phase);
        self.words = words;
        number
    }

    /// The number of a thread's words.
    pub(crate) fn intern_thread_words(&mut self, code: &Code, words: &[u64], phase: Phase) -> u32 {
        // Positions are small numbers; taking their flags for a pointer at worst keeps an object alive.
        let held = |see: &mut dyn FnMut(u64)| words.iter().for_each(|word| see(*word));
        let number = self.threads.intern(words, held, |see| values(code, words, see));
        if number as usize == self.phases.len() {
            self.phases.push(phase);
        }
        number
    }

    /// The number of a thread that waited and may start, if it did.
    pub(crate) fn released(&mut self, code: &Code, number: u32) -> Option<u32> {
        if self.phases[number as usize] != Phase::Waiting {
            return None;
        }
        let mut words = self.threads.words.get(number).to_vec();
        words[0] &= !WAITING;
        Some(self.intern_thread_words(code, &words, Phase::Running))
    }

    /// Where the driver of a thread is.
    pub(crate) fn position(&self, number: u32) -> u32 {
        self.threads.words.get(number)[0] as u32
    }

    /// Takes a thread apart. Registers that are not live are whatever they were.
    pub(crate) fn load_thread(&self, code: &Code, number: u32, thread: &mut Registers<Value>) {
        let mut words = self.threads.words.get(number);
        thread.frames.clear();
        let mut base = 0;
        while let Some((head, rest)) = words.split_first() {
            let pc = *head as u32;
            let live = &code.live[pc as usize];
            let regs = code.proc_at(pc).regs as usize;
            if thread.values.len() < base + regs {
                thread.values.resize(base + regs, Value::UNDEFINED);
            }
            let (bits, mut rest) = rest.split_at(live.len());
            if *head & UNDEFINED != 0 {
                let (undef, behind) = rest.split_at(live.len());
                rest = behind;
                for (at, reg) in live.iter().enumerate() {
                    thread.values[base + *reg as usize] = Value::partial(bits[at], undef[at]);
                }
            } else {
                for (at, reg) in live.iter().enumerate() {
                    thread.values[base + *reg as usize] = Value::new(bits[at]);
                }
            }
            thread.frames.push(Frame { pc, base: small(base) });
            base += regs;
            words = rest;
        }
    }
}

/// Calls `see` with the positions of those of a thread's words that hold registers, and their undefined bits.
fn values(code: &Code, words: &[u64], see: &mut dyn FnMut(usize, u64)) {
    let mut at = 0;
    while at < words.len() {
        let count = code.live[words[at] as u32 as usize].len();
        let undefined = words[at] & UNDEFINED != 0;
        for value in at + 1..=at + count {
            see(value, if undefined { words[value + count] } else { 0 });
        }
        at += 1 + count + if undefined { count } else { 0 };
    }
}
