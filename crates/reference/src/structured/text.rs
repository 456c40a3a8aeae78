//! Programs as C.

use super::{Cond, Expr, Stmt};
use std::fmt::Write;

const VARIABLES: [char; 3] = ['x', 'y', 'z'];

/// The register's name in C; the last is that of no program.
fn reg(number: usize) -> char {
    ['a', 'b', 'c'][number]
}

/// A data type with an operation for each thread, which returns its registers, two bits each, and the test that
/// runs them side by side.
pub fn data_type(threads: &[Vec<Stmt>]) -> String {
    let mut text = String::from("#include <fencepost.h>\n#include <assert.h>\nint x, y, z;\n");
    text += "static int swap(int *p, int v)\n{\n    int old;\n    fp_atomic { old = *p; *p = v; }\n    return old;\n}\n";
    for (number, body) in threads.iter().enumerate() {
        let mut writer = Writer { text: String::new(), loops: 0 };
        writer.list(body, 1);
        let body = writer.text;
        write!(text, "int run{number}(void)\n{{\n    int a = 0, b = 0, c = 0;\n{body}")
            .expect("text takes all");
        text += "    return a | b << 2 | c << 4;\n}\n";
    }
    for number in 0..threads.len() {
        writeln!(text, "#pragma fencepost op t{number} = run{number}()").expect("text takes all");
    }
    let calls: Vec<String> = (0..threads.len()).map(|number| format!("t{number}")).collect();
    writeln!(text, "#pragma fencepost test T = ( {} )", calls.join(" | ")).expect("text takes all");
    text
}

struct Writer {
    text: String,
    loops: usize,
}

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        self.text += &"    ".repeat(depth);
        self.text += line;
        self.text.push('\n');
    }

    fn list(&mut self, body: &[Stmt], depth: usize) {
        body.iter().for_each(|stmt| self.stmt(stmt, depth));
    }

    fn braced(&mut self, head: &str, body: &[Stmt], tail: &str, depth: usize) {
        self.line(depth, &format!("{head} {{"));
        self.list(body, depth + 1);
        self.line(depth, &format!("}}{tail}"));
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        let line = match stmt {
            Stmt::Load(to, from) => format!("{} = {};", reg(*to), VARIABLES[*from]),
            Stmt::Store(to, expr) => format!("{} = {};", VARIABLES[*to], value(*expr)),
            Stmt::Set(to, expr) => format!("{} = {};", reg(*to), value(*expr)),
            Stmt::Swap(to, var, expr) => {
                format!("{} = swap(&{}, {});", reg(*to), VARIABLES[*var], value(*expr))
            }
            Stmt::Cas(to, var, old, new) => {
                format!("{} = cas(&{}, {old}, {new});", reg(*to), VARIABLES[*var])
            }
            Stmt::Fence => "fence(\"full\");".into(),
            Stmt::Assume(cond) => format!("assume({});", condition(*cond)),
            Stmt::Assert(cond) => format!("assert({});", condition(*cond)),
            Stmt::Break => "break;".into(),
            Stmt::Continue => "continue;".into(),
            Stmt::If(cond, yes, no) => {
                self.braced(&format!("if ({})", condition(*cond)), yes, "", depth);
                if !no.is_empty() {
                    self.braced("else", no, "", depth);
                }
                return;
            }
            Stmt::While(cond, body) => {
                return self.braced(&format!("while ({})", condition(*cond)), body, "", depth);
            }
            Stmt::Wait(var, body) => {
                return self.braced(&format!("while (!{})", VARIABLES[*var]), body, "", depth);
            }
            Stmt::DoWhile(body, cond) => {
                return self.braced("do", body, &format!(" while ({});", condition(*cond)), depth);
            }
            Stmt::For(times, body) => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                let head = format!("for (int {counter} = 0; {counter} < {times}; {counter}++)");
                return self.braced(&head, body, "", depth);
            }
            Stmt::Switch(on, cases, default) => return self.switch(*on, cases, default.as_deref(), depth),
            Stmt::Atomic(body) => return self.braced("fp_atomic", body, "", depth),
        };
        self.line(depth, &line);
    }

    fn switch(&mut self, on: usize, cases: &[(Vec<Stmt>, bool)], default: Option<&[Stmt]>, depth: usize) {
        self.line(depth, &format!("switch ({}) {{", reg(on)));
        for (number, (body, breaks)) in cases.iter().enumerate() {
            self.line(depth, &format!("case {number}:"));
            self.list(body, depth + 1);
            if *breaks {
                self.line(depth + 1, "break;");
            }
        }
        if let Some(body) = default {
            self.line(depth, "default:");
            self.list(body, depth + 1);
            self.line(depth + 1, "break;");
        }
        self.line(depth, "}");
    }
}

fn value(expr: Expr) -> String {
    match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Reg(number) => reg(number).to_string(),
        Expr::Next(number) => format!("({} + 1) % 3", reg(number)),
        Expr::Flip(number) => format!("({} ^ 1) & 1", reg(number)),
    }
}

fn condition(cond: Cond) -> String {
    match cond {
        Cond::Set(number) => reg(number).to_string(),
        Cond::Clear(number) => format!("!{}", reg(number)),
        Cond::Same(first, second) => format!("{} == {}", reg(first), reg(second)),
        Cond::Is(number, value) => format!("{} == {value}", reg(number)),
    }
}
