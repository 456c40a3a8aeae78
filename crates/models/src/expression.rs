//! Expressions of cat, which evaluate to a set, a relation or a function while they are parsed: definitions
//! come before uses, so there is no syntax tree to keep.

use crate::cat::{BaseRelation, BaseSet, Relation, Set};
use crate::lex::{Cursor, Kind, Result, Token, unexpected};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// What a name or expression stands for.
#[derive(Clone)]
pub(crate) enum Thing {
    Set(Arc<Set>),
    Relation(Arc<Relation>),
    /// Nothing, as a set or as a relation: `0`, `{}`.
    Nothing,
    Function(Arc<Function>),
    /// Arguments of a function.
    Tuple(Vec<Thing>),
}

pub(crate) enum Function {
    /// Parameters, and the tokens of the body, which is parsed again at each use; it sees nothing that is defined later.
    Defined { params: Vec<String>, body: Vec<Token>, names: HashMap<String, Thing> },
    /// The events that a relation leads from.
    Domain,
    /// The events that a relation leads to.
    Range,
}

/// The words that start a statement or go on with one: no expression goes on with them.
const RESERVED: [&str; 22] = [
    "let",
    "rec",
    "and",
    "in",
    "include",
    "acyclic",
    "irreflexive",
    "empty",
    "as",
    "flag",
    "show",
    "unshow",
    "undefined_unless",
    "procedure",
    "call",
    "if",
    "then",
    "else",
    "instructions",
    "enum",
    "end",
    "with",
];

/// Whether a word cannot be a name.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// What is built in under a name.
pub(crate) fn built_in(word: &str) -> Option<Thing> {
    let set = || BaseSet::named(word).map(|set| Thing::Set(Arc::new(Set::Base(set))));
    let relation = || BaseRelation::named(word).map(|base| Thing::Relation(Arc::new(Relation::Base(base))));
    let function = || match word {
        "domain" => Some(Thing::Function(Arc::new(Function::Domain))),
        "range" => Some(Thing::Function(Arc::new(Function::Range))),
        _ => None,
    };
    set().or_else(relation).or_else(function)
}

/// The expression grammar, loosest first: `|`, `;`, `\`, `&`, `*`, then `~`, postfix and primary.
pub(crate) struct Expressions<'a> {
    pub(crate) names: &'a HashMap<String, Thing>,
}

impl Expressions<'_> {
    pub(crate) fn expression(&self, at: &mut Cursor) -> Result<Thing> {
        if at.eat_word("if") {
            return self.conditional(at);
        }
        if at.eat_word("let") {
            return self.local(at);
        }
        self.binary(at, 0)
    }

    /// `if "variant" then A else B`: no variant is ever asked for.
    fn conditional(&self, at: &mut Cursor) -> Result<Thing> {
        let holds = variant(at)?;
        at.need_word("then")?;
        let yes = self.expression(at)?;
        at.need_word("else")?;
        let no = self.expression(at)?;
        at.eat_word("end");
        Ok(if holds { yes } else { no })
    }

    /// `let a = A in B`.
    fn local(&self, at: &mut Cursor) -> Result<Thing> {
        let mut names = self.names.clone();
        let (name, thing) = self.binding(at)?;
        names.insert(name, thing);
        at.need_word("in")?;
        Expressions { names: &names }.expression(at)
    }

    /// What follows `let`, or `and` in definitions that are not recursive.
    pub(crate) fn binding(&self, at: &mut Cursor) -> Result<(String, Thing)> {
        let (name, _) = at.name("expected a name")?;
        let params = parameters(at)?;
        at.need("=")?;
        let Some(params) = params else { return Ok((name, self.expression(at)?)) };
        let start = at.at;
        // The body is looked through once without meaning, to know where it ends.
        let mut names = self.names.clone();
        for param in &params {
            names.remove(param);
        }
        skip_expression(at);
        let mut body = at.tokens[start..at.at].to_vec();
        body.push(Token { kind: Kind::End, span: at.peek().span });
        Ok((name, Thing::Function(Arc::new(Function::Defined { params, body, names }))))
    }

    fn binary(&self, at: &mut Cursor, level: usize) -> Result<Thing> {
        const SIGNS: [&str; 5] = ["|", ";", "\\", "&", "*"];
        let Some(&sign) = SIGNS.get(level) else { return self.prefix(at) };
        let start = at.peek().span;
        let mut left = self.binary(at, level + 1)?;
        while at.eat(sign) {
            let next = at.peek().span;
            let right = self.binary(at, level + 1)?;
            left = combine(sign, left, right, start.to(next))?;
        }
        Ok(left)
    }

    fn prefix(&self, at: &mut Cursor) -> Result<Thing> {
        if !at.eat("~") {
            return self.postfix(at);
        }
        let all = Arc::new(Set::Base(BaseSet::All));
        let every = || Arc::new(Relation::Product(all.clone(), all.clone()));
        let span = at.peek().span;
        Ok(match self.prefix(at)? {
            Thing::Set(set) => Thing::Set(Arc::new(Set::Diff(all, set))),
            Thing::Nothing => return Err(Diagnostic::error(span, "is it all events, or all pairs?")),
            thing => Thing::Relation(Arc::new(Relation::Diff(every(), as_relation(thing, span)?))),
        })
    }

    fn postfix(&self, at: &mut Cursor) -> Result<Thing> {
        let span = at.peek().span;
        let mut thing = self.primary(at)?;
        loop {
            let wrap: fn(Arc<Relation>) -> Relation = if at.eat("?") {
                Relation::Optional
            } else if at.eat("+") {
                Relation::Plus
            } else if at.eat("^-1") {
                Relation::Inverse
            } else if starred(at) {
                at.next();
                |r| Relation::Optional(Arc::new(Relation::Plus(r)))
            } else {
                return Ok(thing);
            };
            thing = Thing::Relation(Arc::new(wrap(as_relation(thing, span)?)));
        }
    }

    fn primary(&self, at: &mut Cursor) -> Result<Thing> {
        let token = at.next();
        match &token.kind {
            Kind::Sign("(") => {
                let first = self.expression(at)?;
                if !at.eat(",") {
                    at.need(")")?;
                    return Ok(first);
                }
                let mut things = vec![first, self.expression(at)?];
                while at.eat(",") {
                    things.push(self.expression(at)?);
                }
                at.need(")")?;
                Ok(Thing::Tuple(things))
            }
            Kind::Sign("[") => {
                let span = at.peek().span;
                let set = as_set(self.expression(at)?, span)?;
                at.need("]")?;
                Ok(Thing::Relation(Arc::new(Relation::Identity(set))))
            }
            Kind::Sign("{") => {
                at.need("}")?;
                Ok(Thing::Nothing)
            }
            Kind::Word(word) if word == "0" => Ok(Thing::Nothing),
            Kind::Word(word) if !is_reserved(word) => self.name(word, &token, at),
            _ => Err(unexpected(&token, "expected a set or a relation")),
        }
    }

    fn name(&self, word: &str, token: &Token, at: &mut Cursor) -> Result<Thing> {
        match self.names.get(word).cloned().or_else(|| built_in(word)) {
            Some(Thing::Function(function)) if begins_expression(&at.peek().kind) => {
                self.call(word, &function, token, at)
            }
            Some(thing) => Ok(thing),
            None => {
                let sets: Vec<&str> = BaseSet::ALL.iter().map(|set| set.name()).collect();
                let relations: Vec<&str> = BaseRelation::ALL.iter().map(|base| base.name()).collect();
                Err(Diagnostic::error(token.span, format!("unknown name `{word}`"))
                    .note(format!("sets: {}", sets.join(", ")))
                    .note(format!("relations: {}", relations.join(", "))))
            }
        }
    }

    fn call(&self, word: &str, function: &Function, token: &Token, at: &mut Cursor) -> Result<Thing> {
        let span = at.peek().span;
        let args = match self.postfix(at)? {
            Thing::Tuple(things) => things,
            thing => vec![thing],
        };
        let wants = match function {
            Function::Defined { params, .. } => params.len(),
            Function::Domain | Function::Range => 1,
        };
        if args.len() != wants {
            let message = format!("`{word}` takes {wants} argument{}", if wants == 1 { "" } else { "s" });
            return Err(Diagnostic::error(token.span, format!("{message}, not {}", args.len())));
        }
        let (params, body, names) = match function {
            Function::Defined { params, body, names } => (params, body, names),
            Function::Domain => {
                return Ok(Thing::Set(Arc::new(Set::Domain(as_relation(args[0].clone(), span)?))));
            }
            Function::Range => {
                return Ok(Thing::Set(Arc::new(Set::Range(as_relation(args[0].clone(), span)?))));
            }
        };
        let mut names = names.clone();
        names.extend(params.iter().cloned().zip(args));
        let mut body = Cursor { tokens: body, at: 0 };
        let thing = Expressions { names: &names }.expression(&mut body)?;
        match body.peek().kind {
            Kind::End => Ok(thing),
            _ => Err(unexpected(body.peek(), "expected the definition to end")),
        }
    }
}

/// The parameters of a definition, if it has any: `f(x, y)` or `f x`.
pub(crate) fn parameters(at: &mut Cursor) -> Result<Option<Vec<String>>> {
    if let Kind::Word(_) = at.peek().kind {
        return Ok(Some(vec![at.name("expected a parameter")?.0]));
    }
    if !at.eat("(") {
        return Ok(None);
    }
    let mut params = vec![at.name("expected a parameter")?.0];
    while at.eat(",") {
        params.push(at.name("expected a parameter")?.0);
    }
    at.need(")")?;
    Ok(Some(params))
}

/// Goes on to the next statement; what stands in between is parsed when it is used.
fn skip_expression(at: &mut Cursor) {
    // `let` inside of an expression belongs to the `in` that follows.
    let mut depth = 0;
    loop {
        match &at.peek().kind {
            Kind::End => return,
            Kind::Word(word) if word == "let" && depth == 0 && !is_local(at) => return,
            Kind::Word(word) if word == "let" => depth += 1,
            Kind::Word(word) if word == "in" => depth -= 1,
            Kind::Word(word) if matches!(word.as_str(), "if" | "then" | "else" | "end") => {}
            Kind::Word(word) if is_reserved(word) && depth == 0 => return,
            _ => {}
        }
        at.next();
    }
}

/// Whether the `let` that comes next has an `in` before another statement.
fn is_local(at: &Cursor) -> bool {
    let rest = &at.tokens[at.at + 1..];
    let stop = rest.iter().find_map(|token| match &token.kind {
        Kind::Word(word) if is_reserved(word) && !matches!(word.as_str(), "if" | "then" | "else" | "end") => {
            Some(word)
        }
        _ => None,
    });
    stop.is_some_and(|word| word == "in")
}

/// Whether a `*` that comes next stands behind what it repeats, and not between two sets.
fn starred(at: &Cursor) -> bool {
    at.peek().kind == Kind::Sign("*") && !begins_expression(&at.second().kind)
}

fn begins_expression(kind: &Kind) -> bool {
    match kind {
        Kind::Word(word) => !is_reserved(word),
        Kind::Sign(sign) => ["(", "[", "~", "{"].contains(sign),
        _ => false,
    }
}

/// A condition on variants, none of which was asked for.
pub(crate) fn variant(at: &mut Cursor) -> Result<bool> {
    let mut holds = false;
    loop {
        let mut all = true;
        loop {
            let negated = at.eat_word("not") || at.eat("~");
            let token = at.next();
            match token.kind {
                Kind::Text(_) => all &= negated,
                _ => return Err(unexpected(&token, "expected a variant in quotes")),
            }
            if !at.eat("&&") {
                break;
            }
        }
        holds |= all;
        if !at.eat("||") {
            return Ok(holds);
        }
    }
}

fn combine(sign: &str, left: Thing, right: Thing, span: Span) -> Result<Thing> {
    let nothing = |thing: &Thing| matches!(thing, Thing::Nothing);
    if nothing(&left) && nothing(&right) {
        return Ok(Thing::Nothing);
    }
    let is_set = |thing: &Thing| matches!(thing, Thing::Set(_));
    if is_set(&left) && (is_set(&right) || nothing(&right)) || nothing(&left) && is_set(&right) {
        let (a, b) = (as_set(left, span)?, as_set(right, span)?);
        return Ok(match sign {
            "|" => Thing::Set(Arc::new(Set::Union(a, b))),
            "&" => Thing::Set(Arc::new(Set::Inter(a, b))),
            "\\" => Thing::Set(Arc::new(Set::Diff(a, b))),
            "*" => Thing::Relation(Arc::new(Relation::Product(a, b))),
            _ => return Err(Diagnostic::error(span, format!("`{sign}` joins relations, not sets"))),
        });
    }
    if sign == "*" {
        return Err(Diagnostic::error(span, "`*` takes two sets"));
    }
    let (a, b) = (as_relation(left, span)?, as_relation(right, span)?);
    Ok(Thing::Relation(Arc::new(match sign {
        "|" => Relation::Union(a, b),
        "&" => Relation::Inter(a, b),
        "\\" => Relation::Diff(a, b),
        // Also relates loads of the initial content, which no `rf` leads to.
        _ if is_from_reads(&a, &b) => Relation::Base(BaseRelation::Fr),
        _ => Relation::Seq(a, b),
    })))
}

/// Whether two relations in sequence are the usual definition of `fr`.
fn is_from_reads(first: &Relation, second: &Relation) -> bool {
    let rf = Relation::Base(BaseRelation::Rf);
    matches!(first, Relation::Inverse(inner) if **inner == rf) && *second == Relation::Base(BaseRelation::Co)
}

pub(crate) fn as_relation(thing: Thing, span: Span) -> Result<Arc<Relation>> {
    match thing {
        Thing::Relation(relation) => Ok(relation),
        Thing::Nothing => Ok(Arc::new(Relation::Empty)),
        Thing::Set(_) => Err(Diagnostic::error(span, "expected a relation, found a set")
            .help("`[S]` relates every event of the set `S` to itself")),
        Thing::Function(_) => Err(Diagnostic::error(span, "expected a relation, found a function")),
        Thing::Tuple(_) => Err(Diagnostic::error(span, "expected a relation, found a tuple")),
    }
}

fn as_set(thing: Thing, span: Span) -> Result<Arc<Set>> {
    match thing {
        Thing::Set(set) => Ok(set),
        Thing::Nothing => {
            let all = Arc::new(Set::Base(BaseSet::All));
            Ok(Arc::new(Set::Diff(all.clone(), all)))
        }
        _ => Err(Diagnostic::error(span, "expected a set")),
    }
}
