//! From the text of a test to a program with a question: header, initial state, code, condition.

use crate::arch::Arch;
use crate::asm;
use crate::build::{Builder, assign, number};
use crate::c;
use crate::condition::{self, Condition, Constant, Observed, Place, Prop};
use crate::text::{Cursor, Piece, Result, without_comments};
use fencepost_bounded::Location;
use fencepost_harness::operation::{Harness, OpId, Operation, Output, ValueTy};
use fencepost_harness::test::{Invocation, Test};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Global, InitPart, Proc, ProcId, Reg, Stmt, address};
use fencepost_lsl::source::{Origin, SourceMap, Span};
use fencepost_lsl::value::{IntTy, Value};
use std::collections::HashMap;

/// A test.
pub struct Litmus {
    /// Its name.
    pub name: String,
    /// What its threads are written in.
    pub arch: Arch,
    /// Whether it has read-modify-writes that are single instructions where there are others, too.
    pub single: bool,
    /// States that count, if not all do.
    pub filter: Option<Prop>,
    /// What it asks of them; `forall (true)` if it asks nothing.
    pub condition: Condition,
    /// What states have values for, in order.
    pub places: Vec<Place>,
    pub(crate) harness: Harness,
    pub(crate) test: Test,
    /// For each place, its slot in what the engine observes.
    pub(crate) slots: Vec<usize>,
    /// Locations that states have values for.
    pub(crate) finals: Vec<Location>,
    /// Names of locations by address.
    pub(crate) names: HashMap<u64, String>,
}

/// A text that is no test, or none that is understood.
pub struct Unread {
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that they point to.
    pub sources: SourceMap,
}

/// Reads a test. `file` is the name of its file, for diagnostics.
pub fn read(file: &str, text: &str) -> std::result::Result<Litmus, Unread> {
    let mut sources = SourceMap::default();
    let id = sources.add(file, text, Origin::User);
    let c = Cursor::new(text, id).word().is_some_and(|word| word.text == "C");
    let clean = without_comments(text, c);
    match Reader::default().read(Cursor::new(&clean, id)) {
        Ok(mut litmus) => {
            litmus.single = litmus.arch.has_single_instructions(&clean);
            litmus.harness.program.sources = sources;
            Ok(litmus)
        }
        Err(diagnostic) => Err(Unread { diagnostics: vec![diagnostic], sources }),
    }
}

/// Distance between locations: nothing that is computed from the address of one leads to another.
const STRIDE: u64 = 1024;

/// The locations of a test, by name; those that only the code mentions are added when it does.
#[derive(Default)]
pub(crate) struct Locations {
    names: Vec<String>,
    initial: Vec<Constant>,
}

impl Locations {
    /// The address of a location.
    pub(crate) fn address(&mut self, name: &str) -> u64 {
        let index = self.index(name);
        address::GLOBALS + STRIDE * index as u64
    }

    fn index(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.initial.push(Constant::Number(0));
            self.names.len() - 1
        })
    }

    pub(crate) fn value(&mut self, constant: &Constant) -> u64 {
        match constant {
            Constant::Number(number) => *number as u64,
            Constant::Address(name) => self.address(name),
        }
    }
}

/// A thread, as the front ends of the architectures make it.
pub(crate) struct Thread {
    pub(crate) builder: Builder,
    /// Registers that the test knows, by the one name that each has.
    pub(crate) registers: HashMap<String, Reg>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) span: Span,
}

#[derive(Default)]
struct Reader {
    locations: Locations,
    /// Initial values of registers: thread, name, value, and where that stands.
    registers: Vec<(usize, String, Constant, Span)>,
    observed: Observed,
}

impl Reader {
    fn read(mut self, mut cursor: Cursor) -> Result<Litmus> {
        let arch = architecture(&mut cursor)?;
        cursor.blanks();
        let length = cursor.rest().find(char::is_whitespace).unwrap_or(cursor.rest().len());
        let name = cursor.take(length);
        if name.text.is_empty() {
            return Err(cursor.error("the name of the test is missing"));
        }
        preamble(&mut cursor)?;
        self.initial_state(&mut cursor)?;
        let code = code(&mut cursor);
        let mut threads = match arch {
            Arch::C => c::threads(cursor.over(code), &mut self.locations)?,
            _ => asm::threads(arch, code, &mut self.locations)?,
        };
        let whole = name.span;
        let (filter, condition) = condition::parse(&mut cursor, &mut self.observed)?;
        let condition = condition.unwrap_or_else(Condition::none);
        // Those that are asked for and not used must be there, too.
        for (place, span) in &self.observed.places {
            if let Place::Register { thread, name } = place {
                register(arch, &mut threads, *thread, name, *span)?;
            }
        }
        self.initial_registers(arch, &mut threads)?;
        self.finish(name.text, arch, whole, threads, (filter, condition))
    }

    /// `{ x=1; int y; 0:X1=x; }`
    fn initial_state(&mut self, cursor: &mut Cursor) -> Result<()> {
        cursor.expect("{")?;
        while !cursor.eat("}") {
            if cursor.eat(";") {
                continue;
            }
            let (place, span) = condition::typed_place(cursor)?;
            let value = match cursor.eat("=") {
                true => condition::constant(cursor)?,
                false => Constant::Number(0),
            };
            if !cursor.sees(";") && !cursor.sees("}") {
                return Err(cursor
                    .error("`;` is missing here")
                    .note("arrays and structures are not understood"));
            }
            match place {
                Place::Location(name) => {
                    let index = self.locations.index(&name);
                    self.locations.initial[index] = value;
                }
                Place::Register { thread, name } => self.registers.push((thread, name, value, span)),
            }
        }
        Ok(())
    }

    /// Puts the initial values of registers in front of the code: zero, unless the test says something else.
    fn initial_registers(&mut self, arch: Arch, threads: &mut [Thread]) -> Result<()> {
        let mut given = vec![Vec::new(); threads.len()];
        for (thread, name, value, span) in std::mem::take(&mut self.registers) {
            let reg = register(arch, threads, thread, &name, span)?;
            let value = number(self.locations.value(&value) as i64);
            given[thread].push(assign(reg, PrimOp::Copy, &[value], span));
        }
        for (thread, given) in threads.iter_mut().zip(given) {
            let registers = (0..thread.builder.regs.len() as u32).map(Reg);
            let zeros = registers.map(|reg| assign(reg, PrimOp::Copy, &[number(0)], thread.span));
            let first: Vec<Stmt> = zeros.chain(given).collect();
            thread.body.splice(0..0, first);
        }
        Ok(())
    }

    fn finish(
        mut self,
        name: &str,
        arch: Arch,
        span: Span,
        mut threads: Vec<Thread>,
        (filter, condition): (Option<Prop>, Condition),
    ) -> Result<Litmus> {
        let places = std::mem::take(&mut self.observed.places);
        let mut results: Vec<Vec<Reg>> = vec![Vec::new(); threads.len()];
        let mut locations = Vec::new();
        // First where in its thread, or among locations, each place is.
        let mut found = Vec::new();
        for (place, span) in &places {
            found.push(match place {
                Place::Register { thread, name } => {
                    let reg = register(arch, &mut threads, *thread, name, *span)?;
                    results[*thread].push(reg);
                    (*thread, results[*thread].len() - 1)
                }
                Place::Location(name) => {
                    locations.push(self.locations.address(name));
                    (threads.len(), locations.len() - 1)
                }
            });
        }
        let slot = |&(thread, index): &(usize, usize)| -> usize {
            results[..thread].iter().map(Vec::len).sum::<usize>() + index
        };
        let slots = found.iter().map(slot).collect();
        let (harness, test) = self.harness(name, threads, results, span);
        let initial = |addr: &u64| Location { addr: *addr, initial: Value::new(self.initial(*addr)) };
        Ok(Litmus {
            name: name.to_owned(),
            arch,
            single: false,
            filter,
            condition,
            places: places.into_iter().map(|(place, _)| place).collect(),
            slots,
            finals: locations.iter().map(initial).collect(),
            names: (self.locations.names.iter().enumerate())
                .map(|(index, name)| (address::GLOBALS + STRIDE * index as u64, name.clone()))
                .collect(),
            harness,
            test,
        })
    }

    /// The initial content of a location.
    fn initial(&self, addr: u64) -> u64 {
        match &self.locations.initial[((addr - address::GLOBALS) / STRIDE) as usize] {
            Constant::Number(number) => *number as u64,
            Constant::Address(name) => {
                let index = self.locations.names.iter().position(|known| known == name);
                address::GLOBALS + STRIDE * index.expect("`harness` has added it") as u64
            }
        }
    }

    fn harness(
        &mut self,
        name: &str,
        threads: Vec<Thread>,
        results: Vec<Vec<Reg>>,
        span: Span,
    ) -> (Harness, Test) {
        let mut harness = Harness::default();
        let mut calls = Vec::new();
        for (number, (thread, results)) in threads.into_iter().zip(results).enumerate() {
            let name = format!("P{number}");
            let output = Output { name: String::new(), member: String::new(), ty: ValueTy::Int(IntTy::U64) };
            harness.ops.push(Operation {
                name: name.clone(),
                proc: ProcId(number as u32),
                inputs: Vec::new(),
                outputs: vec![output; results.len()],
                function: name.clone(),
                span: thread.span,
            });
            let Thread { builder, body, span, .. } = thread;
            let proc = Proc { name, params: Vec::new(), results, regs: builder.regs, body, span };
            harness.program.procs.push(proc);
            calls.push(vec![Invocation { op: OpId(number as u32), primed: false }]);
        }
        // What locations point to are locations, too.
        for index in 0.. {
            let Some(constant) = self.locations.initial.get(index).cloned() else { break };
            let (value, name) = (self.locations.value(&constant), self.locations.names[index].clone());
            let init = InitPart { offset: 0, ty: IntTy::U64, value: Value::new(value) };
            harness.program.globals.push(Global {
                addr: self.locations.address(&name),
                name,
                size: 8,
                init: vec![init],
                constant: false,
                layout: None,
            });
        }
        (harness, Test { name: name.to_owned(), initial: Vec::new(), threads: calls, span })
    }
}

/// The first word.
fn architecture(cursor: &mut Cursor) -> Result<Arch> {
    let word = cursor.word().ok_or_else(|| cursor.error("a litmus test begins with its architecture"))?;
    Arch::named(word.text).ok_or_else(|| {
        word.error(format!("the architecture `{}` is not known", word.text))
            .help("the architectures are C, X86, X86_64, AArch64, RISCV and PPC")
    })
}

/// Passes what stands between the name and the initial state: documentation and lines `key=value`.
fn preamble(cursor: &mut Cursor) -> Result<()> {
    loop {
        if cursor.eat("\"") {
            if cursor.until('"').is_none() {
                return Err(cursor.error("the text that begins here does not end"));
            }
        } else if cursor.sees("{") {
            return Ok(());
        } else {
            cursor.blanks();
            let length = cursor.rest().find('\n').unwrap_or(cursor.rest().len());
            let line = cursor.take(length);
            if !line.text.contains('=') {
                return Err(line.error("the initial state `{ … }` is missing in front of this"));
            }
        }
    }
}

/// What stands between the initial state and what is asked, if anything is.
fn code<'t>(cursor: &mut Cursor<'t>) -> Piece<'t> {
    const ENDS: [&str; 7] = ["locations", "filter", "exists", "~exists", "~ exists", "not exists", "forall"];
    let ends = |line: &str| {
        let line = line.trim_start();
        let mut rests = ENDS.iter().filter_map(|end| line.strip_prefix(end));
        line.starts_with('@')
            || rests.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let lines = cursor.rest().split_inclusive('\n').take_while(|line| !ends(line));
    let length = lines.map(str::len).sum();
    cursor.take(length).trimmed()
}

/// A register that the initial state or the condition names. One that the code does not use stays as it is.
fn register(arch: Arch, threads: &mut [Thread], thread: usize, name: &str, span: Span) -> Result<Reg> {
    let count = threads.len();
    let Some(code) = threads.get_mut(thread) else {
        let message = format!("there is no thread {thread}: the test has {count}");
        return Err(Diagnostic::error(span, message));
    };
    let Some(canonical) = arch.register(name) else {
        return Err(Diagnostic::error(span, format!("`{name}` is no register of {}", arch.name())));
    };
    if let Some(&known) = code.registers.get(&canonical) {
        return Ok(known);
    }
    if arch == Arch::C {
        return Err(Diagnostic::error(span, format!("P{thread} has no variable `{name}`")));
    }
    let reg = code.builder.named(Some(name));
    code.registers.insert(canonical, reg);
    Ok(reg)
}
