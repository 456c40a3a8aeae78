//! One test of a table, from its text to a program, an outcome and verdicts.

use super::lex::{Cursor, Result, Token};
use crate::program::{Change, Condition, Fence, Instruction, Location, Operand, Order, Program, Register};

/// A test without its name.
pub(super) struct Test {
    pub(super) program: Program,
    pub(super) wanted: Vec<Option<u64>>,
    pub(super) verdicts: Vec<bool>,
}

/// Parses a test.
pub(super) fn test(line: usize, text: &str) -> Result<Test> {
    let mut parser = Parser { text: Cursor::new(line, text)?, ..Parser::default() };
    let threads = parser.threads()?;
    parser.text.need("?")?;
    let asked = parser.outcome()?;
    parser.text.need(":")?;
    let verdicts = parser.verdicts()?;
    let registers = parser.counts.iter().copied().max().unwrap_or(0);
    let mut wanted = vec![None; parser.counts.len() * registers];
    let mut finals = Vec::new();
    for (slot, value) in asked {
        match slot {
            Slot::Register(operation, register) => wanted[operation * registers + register] = Some(value),
            Slot::Final(variable) => {
                finals.push(variable);
                wanted.push(Some(value));
            }
        }
    }
    let program = Program { variables: parser.variables.len(), registers, threads, finals };
    check_starts(&program, &parser.text)?;
    Ok(Test { program, wanted, verdicts })
}

/// Either all threads run from the beginning, or only the first does and all others are started once.
fn check_starts(program: &Program, text: &Cursor) -> Result<()> {
    let started: Vec<usize> = program
        .instructions()
        .filter_map(|instruction| match instruction {
            Instruction::Start(thread) => Some(*thread),
            _ => None,
        })
        .collect();
    if started.is_empty() {
        return Ok(());
    }
    let mut sorted = started;
    sorted.sort();
    if !sorted.into_iter().eq(1..program.threads.len()) {
        return Err(text.mistake("each thread but the first is to be started once"));
    }
    // More is not needed, and has no translation.
    if program.threads.iter().any(|operations| operations.len() > 1) || !program.finals.is_empty() {
        return Err(text.mistake("threads that are started have one operation each and no final values"));
    }
    Ok(())
}

/// Something an outcome tells the value of.
enum Slot {
    /// A register of an operation.
    Register(usize, Register),
    /// A variable, in the end.
    Final(usize),
}

#[derive(Default)]
struct Parser<'a> {
    text: Cursor<'a>,
    variables: Vec<String>,
    /// Registers by name, each with the operation it belongs to and its number there.
    registers: Vec<(&'a str, usize, Register)>,
    /// How many registers each operation has so far. Operations are counted over all threads.
    counts: Vec<usize>,
    /// How many atomic blocks and branches are under way.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn threads(&mut self) -> Result<Vec<Vec<Vec<Instruction>>>> {
        let mut threads = Vec::new();
        let mut operations = Vec::new();
        loop {
            self.counts.push(0);
            operations.push(self.block()?);
            if self.text.eat_sign(";;") {
                continue;
            }
            threads.push(std::mem::take(&mut operations));
            if !self.text.eat_sign("|") {
                return Ok(threads);
            }
        }
    }

    fn block(&mut self) -> Result<Vec<Instruction>> {
        let mut block = Vec::new();
        loop {
            self.instruction(&mut block)?;
            if !self.text.eat_sign(";") {
                return Ok(block);
            }
        }
    }

    /// One instruction, or several in braces.
    fn body(&mut self) -> Result<Vec<Instruction>> {
        self.depth += 1;
        let mut block = Vec::new();
        if self.text.eat_sign("{") {
            block = self.block()?;
            self.text.need("}")?;
        } else {
            self.instruction(&mut block)?;
        }
        self.depth -= 1;
        Ok(block)
    }

    /// An instruction, and before it what computes its operands.
    fn instruction(&mut self, out: &mut Vec<Instruction>) -> Result<()> {
        let instruction = if self.text.eat_word("fence") {
            self.fence()?
        } else if self.text.eat_word("atomic") {
            Instruction::Atomic(self.body()?)
        } else if self.text.eat_word("start") {
            self.start()?
        } else if self.text.eat_word("if") {
            self.text.need("(")?;
            let register = self.register()?;
            let condition = if self.text.eat_sign("==") {
                Condition::Is(register, self.text.number()?)
            } else {
                Condition::NotZero(register)
            };
            self.text.need(")")?;
            let yes = self.body()?;
            let no = if self.text.eat_word("else") { self.body()? } else { Vec::new() };
            Instruction::If(condition, yes, no)
        } else if self.at_register() {
            let register = self.register()?;
            self.text.need("=")?;
            self.assignment(register, out)?
        } else {
            let (location, order) = self.location(out)?;
            self.text.need("=")?;
            Instruction::Store(location, self.operand(out)?, order)
        };
        out.push(instruction);
        Ok(())
    }

    fn start(&mut self) -> Result<Instruction> {
        let name = self.text.word("a thread")?;
        let Some(thread) = name.strip_prefix('P').and_then(|number| number.parse().ok()) else {
            return Err(self.text.mistake(format!("`{name}` is no thread; the first is P0")));
        };
        if self.depth > 0 {
            return Err(self.text.mistake("`start` stands outside of branches and atomic blocks"));
        }
        Ok(Instruction::Start(thread))
    }

    fn fence(&mut self) -> Result<Instruction> {
        let mut fence = Fence::default();
        while let Some(Token::Word(word)) = self.text.peek() {
            match word {
                "ll" => fence.load_load = true,
                "ls" => fence.load_store = true,
                "sl" => fence.store_load = true,
                "ss" => fence.store_store = true,
                "full" => fence = Fence::FULL,
                _ => break,
            }
            self.text.word("a kind")?;
        }
        if fence != Fence::default() {
            return Ok(Instruction::Fence(fence));
        }
        Ok(Instruction::OrderFence(self.order("a kind of fence")?))
    }

    fn order(&mut self, what: &str) -> Result<Order> {
        let word = self.text.word(what)?;
        Ok(match word {
            "rlx" => Order::Relaxed,
            "acq" => Order::Acquire,
            "rel" => Order::Release,
            "acqrel" => Order::AcqRel,
            "sc" => Order::SeqCst,
            _ => {
                let message = format!("`{word}` is no memory order: rlx, acq, rel, acqrel or sc");
                return Err(self.text.mistake(message));
            }
        })
    }

    /// What a register is assigned.
    fn assignment(&mut self, register: Register, out: &mut Vec<Instruction>) -> Result<Instruction> {
        let Some(name) = ["swap", "add", "cas"].into_iter().find(|name| self.text.eat_word(name)) else {
            let (location, order) = self.location(out)?;
            return Ok(Instruction::Load(register, location, order));
        };
        self.text.need("(")?;
        let (location, order) = self.location(out)?;
        self.text.need(",")?;
        let change = match name {
            "swap" => Change::Swap(self.operand(out)?),
            "add" => Change::Add(self.text.number()?),
            _ => {
                let expected = self.text.number()?;
                self.text.need(",")?;
                Change::CompareAndSwap(expected, self.operand(out)?)
            }
        };
        self.text.need(")")?;
        Ok(Instruction::Modify(register, location, change, order))
    }

    /// A variable, perhaps with an index, and a memory order.
    fn location(&mut self, out: &mut Vec<Instruction>) -> Result<(Location, Order)> {
        if self.at_register() {
            return self.text.unexpected("a variable");
        }
        let name = self.text.word("an instruction")?;
        let location = if !self.text.eat_sign("[") {
            Location::Variable(self.variable(name))
        } else {
            let location = if self.text.eat(Token::Number(0)) {
                Location::Variable(self.array(name))
            } else if self.text.eat(Token::Number(1)) {
                Location::Variable(self.array(name) + 1)
            } else {
                let register = self.register()?;
                match self.mixed(register, out)? {
                    Some(zero) => Location::Indexed(self.variable(name), zero),
                    None => Location::Indexed(self.array(name), register),
                }
            };
            self.text.need("]")?;
            location
        };
        let order = if self.text.eat_sign(".") { self.order("a memory order")? } else { Order::Plain };
        Ok((location, order))
    }

    fn variable(&mut self, name: &str) -> usize {
        self.variables.iter().position(|other| other == name).unwrap_or_else(|| {
            self.variables.push(name.into());
            self.variables.len() - 1
        })
    }

    /// The first of two elements, which lie side by side.
    fn array(&mut self, name: &str) -> usize {
        let first = self.variable(&format!("{name}[0]"));
        self.variable(&format!("{name}[1]"));
        first
    }

    fn operand(&mut self, out: &mut Vec<Instruction>) -> Result<Operand> {
        if !self.at_register() {
            return Ok(Operand::Constant(self.text.number()?));
        }
        let register = self.register()?;
        Ok(Operand::Register(self.mixed(register, out)?.unwrap_or(register)))
    }

    /// After a register: if `^register+number` follows, a new register for the value.
    fn mixed(&mut self, register: Register, out: &mut Vec<Instruction>) -> Result<Option<Register>> {
        if !self.text.eat_sign("^") {
            return Ok(None);
        }
        if self.register()? != register {
            return Err(self.text.mistake("`^` takes the same register twice: a dependency without effect"));
        }
        let number = if self.text.eat_sign("+") { self.text.number()? } else { 0 };
        let mixed = self.new_register();
        out.push(Instruction::Mix(mixed, register, number));
        Ok(Some(mixed))
    }

    fn at_register(&self) -> bool {
        let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        matches!(self.text.peek(), Some(Token::Word(word)) if word.strip_prefix('r').is_some_and(number))
    }

    fn new_register(&mut self) -> Register {
        let count = self.counts.last_mut().expect("an operation is under way");
        *count += 1;
        *count - 1
    }

    fn register(&mut self) -> Result<Register> {
        if !self.at_register() {
            return self.text.unexpected("a register");
        }
        let name = self.text.word("a register")?;
        let operation = self.counts.len() - 1;
        match self.registers.iter().find(|known| known.0 == name) {
            Some(known) if known.1 == operation => Ok(known.2),
            Some(_) => Err(self.text.mistake(format!("`{name}` is a register of another operation"))),
            None => {
                let register = self.new_register();
                self.registers.push((name, operation, register));
                Ok(register)
            }
        }
    }

    fn outcome(&mut self) -> Result<Vec<(Slot, u64)>> {
        let mut asked = Vec::new();
        while asked.is_empty() || matches!(self.text.peek(), Some(Token::Word(_))) {
            let mut name = self.text.word("an outcome")?.to_owned();
            if self.text.eat_sign("[") {
                name = format!("{name}[{}]", self.text.number()?);
                self.text.need("]")?;
            }
            let register = self.registers.iter().find(|known| known.0 == name);
            let variable = self.variables.iter().position(|known| *known == name);
            let slot = match (register, variable) {
                (Some(&(_, operation, register)), _) => Slot::Register(operation, register),
                (None, Some(variable)) => Slot::Final(variable),
                (None, None) => return Err(self.text.mistake(format!("no thread uses `{name}`"))),
            };
            self.text.need("=")?;
            asked.push((slot, self.text.number()?));
        }
        Ok(asked)
    }

    fn verdicts(&mut self) -> Result<Vec<bool>> {
        let mut verdicts = Vec::new();
        while self.text.peek().is_some() {
            verdicts.push(self.text.eat_word("yes"));
            if verdicts.last() == Some(&false) && !self.text.eat_word("no") {
                return self.text.unexpected("`yes` or `no`");
            }
        }
        Ok(verdicts)
    }
}
