//! Model files as trees that can be printed again, and their mutants. Knows just enough of cat for the
//! files that ship; what it makes of them is read by the real parser.

use std::fmt;

/// A definition or constraint.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// What stands before the expression: `let name(params) =`, or `acyclic`.
    head: String,
    /// What is defined or constrained, or required of it.
    name: String,
    expression: Expr,
    /// What stands behind it: `as name`, or nothing.
    tail: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Name(String),
    /// A function and its arguments.
    Call(String, Vec<Expr>),
    /// Every event of a set to itself.
    Identity(Box<Expr>),
    /// Two or more of the same level, joined by a sign.
    Joined(&'static str, Vec<Expr>),
    Optional(Box<Expr>),
}

/// A model file with one thing changed.
pub(crate) struct Mutant {
    /// What is left.
    pub(crate) statements: Vec<Statement>,
    /// What was changed, for people.
    pub(crate) change: String,
}

/// Signs that join expressions, loosest first.
const LEVELS: [&str; 5] = ["|", ";", "\\", "&", "*"];

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.head, self.expression, self.tail)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Name(name) => f.write_str(name),
            Expr::Call(name, args) => {
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                write!(f, "{name}({})", args.join(", "))
            }
            Expr::Identity(set) => write!(f, "[{set}]"),
            Expr::Optional(inner) if matches!(**inner, Expr::Joined(..)) => write!(f, "({inner})?"),
            Expr::Optional(inner) => write!(f, "{inner}?"),
            Expr::Joined(sign, parts) => {
                let show = |part: &Expr| match part {
                    Expr::Joined(..) => format!("({part})"),
                    _ => part.to_string(),
                };
                let parts: Vec<String> = parts.iter().map(show).collect();
                f.write_str(&parts.join(&format!(" {sign} ")))
            }
        }
    }
}

/// All mutants of a file.
pub(crate) fn mutants(statements: &[Statement]) -> Vec<Mutant> {
    let mut found = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let mut add = |changed: Statement, change: String| {
            let mut statements = statements.to_vec();
            statements[at] = changed;
            found.push(Mutant { statements, change });
        };
        if !statement.head.starts_with("let") {
            // A constraint that all executions satisfy.
            let (head, expression) = ("empty".into(), Expr::Name("0".into()));
            let nothing = Statement { head, expression, tail: String::new(), ..statement.clone() };
            add(nothing, format!("{}: dropped", statement.name));
        }
        if statement.head == "acyclic" {
            let head = "irreflexive".into();
            add(Statement { head, ..statement.clone() }, format!("{}: irreflexive", statement.name));
        }
        for (expression, before, after) in smaller(&statement.expression) {
            let change = format!("{}: `{before}` becomes `{after}`", statement.name);
            add(Statement { expression, ..statement.clone() }, change);
        }
    }
    found
}

/// Expressions with one thing less, each with the part that was changed, before and after.
fn smaller(expression: &Expr) -> Vec<(Expr, String, String)> {
    let mut found = Vec::new();
    let mut change = |after: Expr| found.push((after.clone(), expression.to_string(), after.to_string()));
    match expression {
        // Loads and stores.
        Expr::Name(name) if name == "M" => {
            ["R", "W"].iter().for_each(|half| change(Expr::Name(half.to_string())))
        }
        // What may store.
        Expr::Name(name) if name == "S" => change(Expr::Name("W".into())),
        Expr::Name(name) if name == "po" => change(Expr::Name("po-loc".into())),
        Expr::Name(name) if name == "po-loc" => change(Expr::Name("po".into())),
        Expr::Joined("*", _) | Expr::Name(_) | Expr::Call(..) | Expr::Identity(_) => {}
        Expr::Optional(inner) => change((**inner).clone()),
        Expr::Joined("\\", parts) => change(parts[0].clone()),
        Expr::Joined(sign, parts) => {
            for at in 0..parts.len() {
                let mut rest = parts.clone();
                rest.remove(at);
                change(if rest.len() == 1 { rest.remove(0) } else { Expr::Joined(sign, rest) });
            }
        }
    }
    let mut inside = |parts: &[Expr], whole: &dyn Fn(Vec<Expr>) -> Expr| {
        for (at, part) in parts.iter().enumerate() {
            for (changed, before, after) in smaller(part) {
                let mut parts = parts.to_vec();
                parts[at] = changed;
                found.push((whole(parts), before, after));
            }
        }
    };
    let only = |mut parts: Vec<Expr>| Box::new(parts.remove(0));
    match expression {
        Expr::Name(_) => {}
        Expr::Call(name, args) => inside(args, &|args| Expr::Call(name.clone(), args)),
        Expr::Joined(sign, parts) => inside(parts, &|parts| Expr::Joined(sign, parts)),
        Expr::Identity(set) => inside(&[(**set).clone()], &|parts| Expr::Identity(only(parts))),
        Expr::Optional(inner) => inside(&[(**inner).clone()], &|parts| Expr::Optional(only(parts))),
    }
    found
}

/// Takes a file apart. Its title and what it includes are left out.
pub(crate) fn parse(text: &str) -> Vec<Statement> {
    let mut tokens = lex(text);
    tokens.reverse();
    let mut statements = Vec::new();
    while let Some(word) = tokens.pop() {
        match word.as_str() {
            "let" => {
                let name = tokens.last().expect("definitions have names").clone();
                let mut head = word + " ";
                while let Some(token) = tokens.pop() {
                    head += &token;
                    if token == "=" {
                        break;
                    }
                }
                let expression = binary(&mut tokens, 0);
                statements.push(Statement { head, name, expression, tail: String::new() });
            }
            "acyclic" | "irreflexive" | "empty" => {
                let expression = binary(&mut tokens, 0);
                assert!(eat(&mut tokens, "as"));
                let name = tokens.pop().expect("constraints have names");
                let tail = format!(" as {name}");
                statements.push(Statement { head: word, name, expression, tail });
            }
            "include" => _ = tokens.pop(),
            title if title.starts_with('"') => {}
            other => panic!("unexpected `{other}`"),
        }
    }
    statements
}

fn eat(tokens: &mut Vec<String>, wanted: &str) -> bool {
    let found = tokens.last().is_some_and(|next| next == wanted);
    if found {
        tokens.pop();
    }
    found
}

fn binary(tokens: &mut Vec<String>, level: usize) -> Expr {
    let Some(&sign) = LEVELS.get(level) else { return postfix(tokens) };
    let mut parts = vec![binary(tokens, level + 1)];
    while eat(tokens, sign) {
        parts.push(binary(tokens, level + 1));
    }
    if parts.len() == 1 { parts.remove(0) } else { Expr::Joined(sign, parts) }
}

fn postfix(tokens: &mut Vec<String>) -> Expr {
    let token = tokens.pop().expect("an expression");
    let mut expression = match token.as_str() {
        "(" => {
            let inner = binary(tokens, 0);
            assert!(eat(tokens, ")"));
            inner
        }
        "[" => {
            let set = binary(tokens, 0);
            assert!(eat(tokens, "]"));
            Expr::Identity(Box::new(set))
        }
        _ if eat(tokens, "(") => {
            let mut args = vec![binary(tokens, 0)];
            while eat(tokens, ",") {
                args.push(binary(tokens, 0));
            }
            assert!(eat(tokens, ")"));
            Expr::Call(token, args)
        }
        _ => Expr::Name(token),
    };
    while eat(tokens, "?") {
        expression = Expr::Optional(Box::new(expression));
    }
    expression
}

/// Words, quoted texts and signs; comments are left out.
fn lex(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let length = if rest.starts_with("(*") {
            rest.find("*)").expect("comments end") + 2
        } else {
            let length = match first {
                '"' => rest[1..].find('"').expect("texts end") + 2,
                _ if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
                _ => 1,
            };
            tokens.push(rest[..length].to_owned());
            length
        };
        rest = rest[length..].trim_start();
    }
    tokens
}
