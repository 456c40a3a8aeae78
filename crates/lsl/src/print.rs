//! LSL as text, for people who debug a front end and for snapshot tests.

use crate::program::{Choice, Fence, Operand, Order, Place, Proc, Program, Reg, Stmt, StmtKind};
use std::fmt::{self, Write};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            let kind = if global.constant { "const" } else { "global" };
            write!(f, "{kind} {} @{:#x} size {}", global.name, global.addr, global.size)?;
            for part in &global.init {
                write!(f, " [{}]={}:{}", part.offset, part.value, part.ty)?;
            }
            writeln!(f)?;
        }
        for proc in &self.procs {
            writeln!(f, "\n{}", Printed { program: self, proc })?;
        }
        Ok(())
    }
}

/// A procedure with the program that names its callees.
struct Printed<'a> {
    program: &'a Program,
    proc: &'a Proc,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |regs: &[Reg]| regs.iter().map(|r| self.reg(*r)).collect::<Vec<_>>().join(", ");
        let Proc { name, params, results, body, .. } = self.proc;
        write!(f, "proc {name}({})", list(params))?;
        if !results.is_empty() {
            write!(f, " -> {}", list(results))?;
        }
        f.write_str(" {\n")?;
        self.body(f, body, 1)?;
        f.write_str("}")
    }
}

impl Printed<'_> {
    fn reg(&self, reg: Reg) -> String {
        match self.proc.regs.get(reg.index()).and_then(|info| info.name.as_deref()) {
            Some(name) => format!("{name}.{}", reg.0),
            None => format!("r{}", reg.0),
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(value) => value.to_string(),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|o| self.operand(*o)).collect::<Vec<_>>().join(", ")
    }

    fn body(&self, f: &mut fmt::Formatter<'_>, body: &[Stmt], depth: usize) -> fmt::Result {
        body.iter().try_for_each(|stmt| self.stmt(f, stmt, depth))
    }

    fn stmt(&self, f: &mut fmt::Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
        let indent = "    ".repeat(depth);
        f.write_str(&indent)?;
        let guard = |when: &Option<Operand>| match when {
            Some(cond) => format!("if ({}) ", self.operand(*cond)),
            None => String::new(),
        };
        match &stmt.kind {
            StmtKind::Assign { dst, op, args } => {
                writeln!(f, "{} = {op}({})", self.reg(*dst), self.operands(args))
            }
            StmtKind::Load { dst, addr, ty, order, failing } => {
                let (dst, addr) = (self.reg(*dst), self.operand(*addr));
                let failing = failing.map_or(String::new(), |order| format!(" or {order}"));
                writeln!(f, "{dst} = *{addr} : {ty}{}{failing}", ordered(*order))
            }
            StmtKind::Store { addr, value, ty, order } => {
                let (addr, value) = (self.operand(*addr), self.operand(*value));
                writeln!(f, "*{addr} = {value} : {ty}{}", ordered(*order))
            }
            StmtKind::Fence(fence) => writeln!(f, "fence {fence}"),
            StmtKind::Slot(slot) => writeln!(f, "slot {slot}"),
            StmtKind::Atomic(body) => {
                f.write_str("atomic {\n")?;
                self.body(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            StmtKind::Call { proc, args, results } => {
                let results: Vec<String> = results.iter().map(|r| self.reg(*r)).collect();
                if !results.is_empty() {
                    write!(f, "{} = ", results.join(", "))?;
                }
                writeln!(f, "{}({})", self.program.proc(*proc).name, self.operands(args))
            }
            StmtKind::Block { label, body, retry } => {
                writeln!(f, "{label}: {}{{", if *retry { "retry " } else { "" })?;
                self.body(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            StmtKind::Break { label, when, predicated } => {
                let kind = if *predicated { "skip" } else { "break" };
                writeln!(f, "{}{kind} {label}", guard(when))
            }
            StmtKind::Continue { label, when } => writeln!(f, "{}continue {label}", guard(when)),
            StmtKind::Assert { cond, fault } => writeln!(f, "assert ({}) else {fault}", self.operand(*cond)),
            StmtKind::Assume { cond } => writeln!(f, "assume ({})", self.operand(*cond)),
            StmtKind::Within { base, result } => {
                writeln!(f, "within {} -> {}", self.operand(*base), self.operand(*result))
            }
            StmtKind::Alloc { dst, size, align, zeroed, place, .. } => {
                let place = match place {
                    Place::Heap => "heap",
                    Place::Stack => "stack",
                    Place::Global => "global",
                };
                let zeroed = if *zeroed { " zeroed" } else { "" };
                let (dst, size) = (self.reg(*dst), self.operand(*size));
                writeln!(f, "{dst} = alloc {place} {size} align {align}{zeroed}")
            }
            StmtKind::Free { addr } => writeln!(f, "free {}", self.operand(*addr)),
            StmtKind::Choose { dst, from } => writeln!(f, "{} = choose {from}", self.reg(*dst)),
            StmtKind::Spawn { proc, args } => {
                writeln!(f, "spawn {}({})", self.program.proc(*proc).name, self.operands(args))
            }
        }
    }
}

fn ordered(order: Order) -> String {
    match order {
        Order::Plain => String::new(),
        order => format!(" {order}"),
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Plain => "plain",
            Order::Relaxed => "relaxed",
            Order::AcquirePc => "acquire_pc",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
            Order::Ghost => "ghost",
        })
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Fence::FULL {
            return f.write_str("full");
        }
        if self.order != Order::Plain {
            return write!(f, "{}", self.order);
        }
        let kinds = [
            (self.load_load, "load-load"),
            (self.load_store, "load-store"),
            (self.store_load, "store-load"),
            (self.store_store, "store-store"),
            (self.instructions, "instructions"),
        ];
        let names: Vec<&str> = kinds.iter().filter(|kind| kind.0).map(|kind| kind.1).collect();
        f.write_str(if names.is_empty() { "none" } else { "" })?;
        f.write_str(&names.join("+"))
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::OneOf(values) => {
                f.write_char('{')?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_char('}')
            }
            Choice::Any(ty) => write!(f, "any {ty}"),
        }
    }
}
