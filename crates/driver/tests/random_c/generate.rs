//! Random C functions without undefined behaviour (signed overflow wraps).
//!
//! Each takes nothing and returns a mixture of all its variables. Expressions have no side effects, so
//! that the order of evaluation does not matter; those stand in statements of their own.

use super::expression::{NUMBERS, TYPES};
use fencepost_reference::random::Random;
use std::fmt::Write;

/// Types of bit-fields, with their widths.
const FIELDS: &[(&str, usize)] = &[
    ("int", 32),
    ("unsigned", 32),
    ("long", 64),
    ("unsigned long", 64),
    ("unsigned char", 8),
    ("signed char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("_Bool", 1),
];

/// Elements of every array; a power of two, to mask indices with.
pub(crate) const LENGTH: usize = 4;

/// What a function is made of so far.
pub(crate) struct Generator<'r> {
    pub(crate) random: &'r mut Random,
    number: usize,
    /// Places that hold numbers and can be assigned to.
    pub(crate) places: Vec<String>,
    /// Arrays of numbers.
    pub(crate) arrays: Vec<String>,
    /// Counters of the loops around, which are only read.
    pub(crate) counters: Vec<String>,
    body: String,
    indent: usize,
}

/// A function `f<number>` with what it needs.
pub(crate) fn function(random: &mut Random, number: usize) -> String {
    let mut generator = Generator {
        random,
        number,
        places: Vec::new(),
        arrays: Vec::new(),
        counters: Vec::new(),
        body: String::new(),
        indent: 1,
    };
    generator.function()
}

impl Generator<'_> {
    fn function(&mut self) -> String {
        let number = self.number;
        let mut out = self.record();
        let _ =
            writeln!(out, "static {} g{number} = {};", self.random.pick(TYPES), self.random.pick(NUMBERS));
        self.places.push(format!("g{number}"));
        for i in 0..2 + self.random.below(4) {
            let line = format!("{} v{i} = {};", self.random.pick(TYPES), self.random.pick(NUMBERS));
            self.line(&line);
            self.places.push(format!("v{i}"));
        }
        for i in 0..1 + self.random.below(2) {
            let values: Vec<&str> =
                (0..self.random.below(LENGTH + 1)).map(|_| self.random.pick(NUMBERS)).collect();
            let line = format!(
                "{} a{i}[{LENGTH}] = {{{}}};",
                self.random.pick(TYPES),
                [&["0"], &values[..values.len().min(3)]].concat().join(", ")
            );
            self.line(&line);
            self.arrays.push(format!("a{i}"));
            self.places.extend((0..LENGTH).map(|at| format!("a{i}[{at}]")));
        }
        self.overlay();
        for _ in 0..3 + self.random.below(6) {
            self.statement(2);
        }
        self.line("unsigned long sum = 0;");
        for place in self.places.clone() {
            self.line(&format!("sum = sum * 31 + (unsigned long){place};"));
        }
        let _ = writeln!(out, "static unsigned long f{number}(void)\n{{\n{}    return sum;\n}}", self.body);
        out
    }

    /// A struct type with variables of it, and a function that takes and returns one.
    fn record(&mut self) -> String {
        let number = self.number;
        let mut out = format!("struct s{number} {{\n");
        let mut fields = Vec::new();
        for i in 0..1 + self.random.below(6) {
            if self.random.one_in(3) {
                let _ = writeln!(out, "    {} m{i};", self.random.pick(TYPES));
            } else {
                let (ty, most) = FIELDS[self.random.below(FIELDS.len())];
                if self.random.one_in(6) {
                    let _ = writeln!(out, "    {ty} : {};", self.random.below(most + 1));
                }
                let _ = writeln!(out, "    {ty} m{i} : {};", 1 + self.random.below(most));
            }
            fields.push(format!("m{i}"));
        }
        let packed = if self.random.one_in(4) { " __attribute__((packed))" } else { "" };
        let _ = writeln!(out, "}}{packed};");
        let mut initial = Vec::new();
        for field in &fields {
            if self.random.one_in(2) {
                initial.push(format!(".{field} = {}", self.random.pick(NUMBERS)));
            }
        }
        let initial = if initial.is_empty() { "0".to_owned() } else { initial.join(", ") };
        let _ = writeln!(out, "static struct s{number} r{number} = {{{initial}}};");
        let changed = &fields[self.random.below(fields.len())];
        let _ = writeln!(
            out,
            "static struct s{number} h{number}(struct s{number} s, {} x)\n{{\n    s.{changed} {}= x;\n    return s;\n}}",
            self.random.pick(TYPES),
            self.random.pick(&["", "+", "-", "^", "|", "&", "*"]),
        );
        self.line(&format!("struct s{number} s = {{{initial}}}, *p = &r{number};"));
        for base in ["s.", "p->"] {
            self.places.extend(fields.iter().map(|field| format!("{base}{field}")));
        }
        out
    }

    /// A union, whose members share bytes.
    fn overlay(&mut self) {
        // Any bytes make a number, but not a `_Bool`.
        let numbers = &TYPES[..TYPES.len() - 1];
        // The struct must not be larger than `whole`, which gives all bytes a value.
        let (a, b) =
            (self.random.pick(numbers), self.random.pick(&["char", "short", "unsigned short", "int"]));
        let width = 1 + self.random.below(32);
        self.line("union {");
        self.line("    unsigned long whole;");
        self.line(&format!("    {a} part;"));
        self.line(&format!("    struct {{ {b} first; unsigned bits : {width}; }};"));
        self.line("    unsigned char bytes[8];");
        let initial = self.random.pick(NUMBERS);
        self.line(&format!("}} u = {{{initial}}}, *q = &u;"));
        let members = ["u.whole", "u.part", "u.first", "u.bits", "q->bytes[1]", "u.bytes[6]"];
        self.places.extend(members.map(str::to_owned));
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:1$}{text}", "", 4 * self.indent);
    }

    /// A block of statements.
    fn block(&mut self, depth: usize) {
        self.indent += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        let kinds = if depth == 0 { 7 } else { 12 };
        let number = self.number;
        match self.random.below(kinds) {
            0 | 1 => {
                let (place, value) = (self.place(), self.expression(4));
                self.line(&format!("{place} = {value};"));
            }
            2 => {
                let (place, value) = (self.place(), self.expression(3));
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                self.line(&format!("{place} {op}= {value};"));
            }
            3 => {
                let (place, value) = (self.place(), self.expression(2));
                let line = match self.random.below(5) {
                    0 => format!("{place} /= ({value} & 15) + 1;"),
                    1 => format!("{place} %= -(({value} & 15) + 2);"),
                    2 => format!("{place} <<= {value} & 31;"),
                    _ => format!("{place} >>= {value} & 31;"),
                };
                self.line(&line);
            }
            4 => {
                // Two places without a common byte: what is written is not read elsewhere in the statement.
                let (to, mut from) = (self.fixed_place(), self.fixed_place());
                let in_union = |place: &str| place.starts_with("u.") || place.starts_with("q->");
                if in_union(&to) && in_union(&from) {
                    from.clone_from(&to);
                }
                let step = self.random.pick(&["++", "--"]);
                let line = match self.random.below(3) {
                    _ if to == from => format!("{from}{step};"),
                    0 => format!("{to} = {from}{step};"),
                    1 => format!("{to} = {step}{from};"),
                    _ => format!(
                        "{to} = ({from} {}= {});",
                        self.random.pick(&["", "+", "^"]),
                        self.random.pick(NUMBERS)
                    ),
                };
                self.line(&line);
            }
            5 => {
                let value = self.expression(2);
                let line = match self.random.below(4) {
                    0 => format!("s = h{number}(s, {value});"),
                    1 => format!("*p = h{number}(s, {value});"),
                    2 => format!("s = {value} ? *p : h{number}(*p, 3);"),
                    _ => "s = *p;".to_owned(),
                };
                self.line(&line);
            }
            6 => {
                let array = self.array();
                let (index, value) = (self.expression(2), self.expression(2));
                self.line(&format!("*({array} + ({index} & {})) = {value};", LENGTH - 1));
            }
            7 | 8 => {
                let condition = self.expression(3);
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.random.one_in(2) {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            9 | 10 => self.repeat(depth - 1),
            _ => self.switch(depth - 1),
        }
    }

    fn repeat(&mut self, depth: usize) {
        let counter = format!("i{}", self.counters.len());
        let rounds = 1 + self.random.below(3);
        let ty = self.random.pick(&["int", "unsigned char", "long", "unsigned"]);
        let down = self.random.one_in(3);
        let (head, tail) = match self.random.below(2) {
            0 if down => {
                (format!("for ({ty} {counter} = {rounds}; {counter}; {counter}--) {{"), "}".to_owned())
            }
            0 => (format!("for ({ty} {counter} = 0; {counter} < {rounds}; ++{counter}) {{"), "}".to_owned()),
            _ => (format!("{{ {ty} {counter} = 0; do {{"), format!("}} while (++{counter} < {rounds}); }}")),
        };
        self.line(&head);
        self.counters.push(counter);
        self.block(depth);
        if self.random.one_in(3) {
            let condition = self.expression(2);
            let leave = self.random.pick(&["break", "continue"]);
            self.line(&format!("    if ({condition}) {leave};"));
            self.block(depth.min(1));
        }
        self.counters.pop();
        self.line(&tail);
    }

    fn switch(&mut self, depth: usize) {
        let value = self.expression(3);
        let cast = self.random.pick(&["signed char", "unsigned", "long", "short", "_Bool"]);
        let less = self.random.below(3);
        self.line(&format!("switch (({cast})({value} & 7) - {less}) {{"));
        let default = self.random.below(6);
        for label in 0..6 {
            if label == default {
                self.line("default:");
            } else if self.random.one_in(2) {
                self.line(&format!("case {}:", label - 1));
            } else {
                continue;
            }
            self.block(depth);
            if !self.random.one_in(3) {
                self.line("    break;");
            }
        }
        self.line("}");
    }
}
