//! Threads in assembly: columns of instructions, made steps by the architecture and statements by [`lower`].

mod aarch64;
mod lower;
mod ppc;
mod riscv;
mod x86;

use crate::arch::Arch;
use crate::build::{Builder, Modify, number};
use crate::read::{Locations, Thread};
use crate::text::{self, Piece, Result};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order, Reg};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};
use std::collections::HashMap;

/// What an instruction does, in steps.
enum Step {
    Assign {
        dst: Reg,
        op: PrimOp,
        args: Vec<Operand>,
    },
    Load {
        dst: Reg,
        addr: Operand,
        ty: IntTy,
        order: Order,
        exclusive: bool,
    },
    Store {
        addr: Operand,
        value: Operand,
        ty: IntTy,
        order: Order,
    },
    /// A store-exclusive; the register receives 0 if it succeeds and 1 if it fails.
    StoreExclusive {
        failed: Reg,
        addr: Operand,
        value: Operand,
        ty: IntTy,
        order: Order,
    },
    /// A read-modify-write; the register receives what was there.
    Modify {
        dst: Option<Reg>,
        modify: Modify,
    },
    Fence(Fence),
    /// A jump to a label, if the condition is not zero.
    Branch {
        label: String,
        when: Option<Operand>,
    },
    /// A label.
    Label(String),
}

/// A thread under way.
struct Code<'l> {
    arch: Arch,
    builder: Builder,
    registers: HashMap<String, Reg>,
    steps: Vec<(Step, Span)>,
    locations: &'l mut Locations,
    span: Span,
    /// What the last comparison compared.
    flags: Option<(Reg, Reg)>,
}

/// An instruction in parts.
struct Instruction<'t> {
    mnemonic: &'t str,
    operands: Vec<Piece<'t>>,
    whole: Piece<'t>,
}

/// Reads columns of instructions.
pub(crate) fn threads(arch: Arch, code: Piece, locations: &mut Locations) -> Result<Vec<Thread>> {
    // The last row needs no `;`.
    let rows = code.split(';').into_iter().filter(|row| !row.text.is_empty());
    let mut rows = rows.map(|row| row.split('|'));
    let head = rows.next().ok_or_else(|| code.error("the threads are missing: `P0 | P1 ;`"))?;
    let mut columns: Vec<Vec<Piece>> = Vec::new();
    for (number, cell) in head.iter().enumerate() {
        let name = cell.text.split(':').next().unwrap_or_default().trim();
        if name != format!("P{number}") {
            return Err(cell.error(format!("the name of this thread should be P{number}")));
        }
        columns.push(Vec::new());
    }
    for row in rows {
        if row.len() > columns.len() {
            return Err(row[columns.len()].error(format!("the test has {} threads only", columns.len())));
        }
        for (column, cell) in columns.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    let mut threads = Vec::new();
    for (cells, head) in columns.into_iter().zip(head) {
        let mut code = Code {
            arch,
            builder: Builder::default(),
            registers: HashMap::new(),
            steps: Vec::new(),
            locations,
            span: head.span,
            flags: None,
        };
        for cell in cells {
            code.cell(cell)?;
        }
        threads.push(code.thread(head.span)?);
    }
    Ok(threads)
}

impl Code<'_> {
    fn cell(&mut self, mut cell: Piece) -> Result<()> {
        // A label, and maybe an instruction behind it.
        while let Some(at) = cell.text.find(':') {
            let label = cell.part(0, at);
            if label.text.is_empty() || !label.text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                return Err(label.error("this is no label"));
            }
            self.steps.push((Step::Label(label.text.to_owned()), label.span));
            cell = cell.part(at + 1, cell.text.len());
        }
        if cell.text.is_empty() {
            return Ok(());
        }
        let end = cell.text.find(char::is_whitespace).unwrap_or(cell.text.len());
        let rest = cell.part(end, cell.text.len());
        let operands = if rest.text.is_empty() { Vec::new() } else { rest.split(',') };
        let instruction = Instruction { mnemonic: &cell.text[..end], operands, whole: cell };
        self.span = cell.span;
        match self.arch {
            Arch::AArch64 => aarch64::decode(self, &instruction),
            Arch::RiscV => riscv::decode(self, &instruction),
            Arch::Ppc => ppc::decode(self, &instruction),
            Arch::X86 | Arch::C => x86::decode(self, &instruction),
        }
    }

    fn push(&mut self, step: Step) {
        self.steps.push((step, self.span));
    }

    /// The register of this name, made if it is new.
    fn register(&mut self, piece: Piece) -> Result<Reg> {
        let name = self
            .arch
            .register(piece.text)
            .ok_or_else(|| piece.error(format!("`{}` is no register of {}", piece.text, self.arch.name())))?;
        if let Some(&known) = self.registers.get(&name) {
            return Ok(known);
        }
        let reg = self.builder.named(Some(&name));
        self.registers.insert(name, reg);
        Ok(reg)
    }

    fn assign(&mut self, dst: Reg, op: PrimOp, args: &[Operand]) {
        self.push(Step::Assign { dst, op, args: args.to_vec() });
    }

    /// The result of an operation, computed now if its arguments are known.
    fn compute(&mut self, op: PrimOp, args: &[Operand]) -> Operand {
        let constant = |arg: &Operand| match arg {
            Operand::Const(value) => Some(*value),
            Operand::Reg(_) => None,
        };
        let known: Option<Vec<Value>> = args.iter().map(constant).collect();
        if let Some(Ok(value)) = known.map(|known| op.eval(&known)) {
            return Operand::Const(value);
        }
        let dst = self.builder.temporary();
        self.assign(dst, op, args);
        dst.into()
    }

    /// The sum of two words.
    fn sum(&mut self, a: Operand, b: Operand) -> Operand {
        match b {
            Operand::Const(Value::ZERO) => a,
            _ if a == number(0) => b,
            _ => self.compute(PrimOp::Bin(BinOp::Add, IntTy::U64), &[a, b]),
        }
    }

    /// Notes what a comparison compares: as signed numbers of this width, whose order as unsigned ones is the same.
    fn compare(&mut self, a: Operand, b: Operand, ty: IntTy) {
        let (left, right) = *self.flags.get_or_insert((self.builder.temporary(), self.builder.temporary()));
        for (dst, value) in [(left, a), (right, b)] {
            self.assign(dst, PrimOp::Convert(IntTy::signed(ty.bits)), &[value]);
        }
    }

    /// Whether what was compared last is so.
    fn condition(&mut self, relation: Relation, piece: Piece) -> Result<Operand> {
        let Some((a, b)) = self.flags else {
            return Err(piece.error("nothing was compared before this branch"));
        };
        Ok(self.test(relation, a.into(), b.into()))
    }

    fn test(&mut self, relation: Relation, a: Operand, b: Operand) -> Operand {
        let (op, signed, swapped) = relation;
        self.compute(PrimOp::Cmp(op, signed), &if swapped { [b, a] } else { [a, b] })
    }

    fn branch(&mut self, label: Piece, when: Option<Operand>) {
        self.push(Step::Branch { label: label.text.to_owned(), when });
    }
}

/// A comparison: which, whether of signed numbers, and whether with its arguments exchanged.
type Relation = (CmpOp, bool, bool);

const EQUAL: Relation = (CmpOp::Eq, true, false);
const DIFFERENT: Relation = (CmpOp::Ne, true, false);

/// The comparison of a name as in `eq`, `ne`, `lt`, `ge`, `gt`, `le`, with `u` behind it for unsigned numbers.
fn relation(name: &str) -> Option<Relation> {
    let signed = !name.ends_with('u');
    Some(match name.trim_end_matches('u') {
        "eq" => EQUAL,
        "ne" => DIFFERENT,
        "lt" => (CmpOp::Lt, signed, false),
        "le" => (CmpOp::Le, signed, false),
        "gt" => (CmpOp::Lt, signed, true),
        "ge" => (CmpOp::Le, signed, true),
        _ => return None,
    })
}

impl<'t> Instruction<'t> {
    /// As many operands as there must be.
    fn operands<const N: usize>(&self) -> Result<[Piece<'t>; N]> {
        let found: std::result::Result<[Piece; N], _> = self.operands.clone().try_into();
        found.map_err(|_| {
            let operands = if N == 1 { "one operand".to_owned() } else { format!("{N} operands") };
            self.whole.error(format!("`{}` has {operands} here", self.mnemonic))
        })
    }

    fn unknown(&self) -> Diagnostic {
        self.whole.error(format!("the instruction `{}` is not understood", self.mnemonic))
    }
}

/// A number, with any of these signs in front of it.
fn immediate(piece: Piece, signs: &[char]) -> Option<Operand> {
    let digits = piece.text.strip_prefix(signs).unwrap_or(piece.text);
    text::number(digits).map(number)
}

/// Both a fence of these kinds: what before and what behind it.
fn kinds(load_load: bool, load_store: bool, store_load: bool, store_store: bool) -> Fence {
    Fence { load_load, load_store, store_load, store_store, ..Fence::NONE }
}

/// A fence that holds up instructions until branches are decided.
const INSTRUCTIONS: Fence = Fence { instructions: true, ..Fence::NONE };
