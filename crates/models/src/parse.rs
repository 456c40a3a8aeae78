//! From the text of a model to [`crate::cat`]: tokens, expressions, kinds, definitions, includes.
//!
//! Expressions evaluate to a set, a relation or a function while they are parsed: definitions come before
//! uses, so there is no syntax tree to keep.

use crate::cat::{BaseRelation, BaseSet, Constraint, Model, Relation, Set, Test, mentions};
use crate::library::shipped;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, Origin, SourceMap, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// What a name or expression stands for.
#[derive(Clone)]
enum Thing {
    Set(Arc<Set>),
    Relation(Arc<Relation>),
    /// Parameters, and the tokens of the body, which is parsed again at each use.
    Function(Arc<Function>),
}

struct Function {
    params: Vec<String>,
    body: Vec<Token>,
    /// What was defined before it; bodies see nothing later.
    names: HashMap<String, Thing>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Word(String),
    Text(String),
    Sign(&'static str),
    End,
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    span: Span,
}

/// The words that start a statement.
const STARTS: [&str; 5] = ["let", "include", "acyclic", "irreflexive", "empty"];

type Result<T> = std::result::Result<T, Diagnostic>;

/// Parses the model in a file of `sources`.
pub(crate) fn model(
    name: &str,
    file: FileId,
    sources: &mut SourceMap,
) -> std::result::Result<Model, Vec<Diagnostic>> {
    let mut reader = Reader {
        names: HashMap::new(),
        model: Model {
            name: name.into(),
            title: String::new(),
            constraints: Vec::new(),
            buffering: None,
            out_of_order: false,
            ghosts: false,
        },
    };
    reader.file(file, sources, 0).map_err(|error| vec![error])?;
    if reader.model.constraints.is_empty() {
        let span = Span::new(file, 0, 0);
        return Err(vec![
            Diagnostic::error(span, "model has no constraint")
                .note("a model without constraints allows every execution")
                .help("add for example `acyclic po | rf | co | fr`"),
        ]);
    }
    Ok(reader.model)
}

struct Reader {
    names: HashMap<String, Thing>,
    model: Model,
}

impl Reader {
    fn file(&mut self, file: FileId, sources: &mut SourceMap, depth: u32) -> Result<()> {
        let tokens = lex(&sources.file(file).text, file)?;
        let mut at = Cursor { tokens: &tokens, at: 0 };
        if let Kind::Text(title) = &at.peek().kind {
            if depth == 0 {
                self.model.title = title.clone();
            }
            at.next();
        }
        loop {
            let token = at.next();
            let Kind::Word(word) = &token.kind else {
                if token.kind == Kind::End {
                    return Ok(());
                }
                return Err(unexpected(&token, "expected `let`, `include` or a constraint"));
            };
            match word.as_str() {
                "let" => self.definition(&mut at)?,
                "include" => self.include(&mut at, sources, depth)?,
                "acyclic" => self.constraint(&mut at, Test::Acyclic)?,
                "irreflexive" => self.constraint(&mut at, Test::Irreflexive)?,
                "empty" => self.constraint(&mut at, Test::Empty)?,
                _ => return Err(unexpected(&token, "expected `let`, `include` or a constraint")),
            }
        }
    }

    fn include(&mut self, at: &mut Cursor, sources: &mut SourceMap, depth: u32) -> Result<()> {
        let token = at.next();
        let Kind::Text(name) = &token.kind else {
            return Err(unexpected(&token, "expected a file name in quotes"));
        };
        let Some(text) = shipped(name) else {
            return Err(Diagnostic::error(
                token.span,
                format!("no model file `{name}` ships with Fencepost"),
            )
            .help("only shipped files can be included, such as \"base.cat\""));
        };
        if depth > 8 {
            return Err(Diagnostic::error(token.span, "files include each other"));
        }
        let file = sources.add(name.clone(), text, Origin::System);
        self.file(file, sources, depth + 1)
    }

    fn definition(&mut self, at: &mut Cursor) -> Result<()> {
        let token = at.next();
        let name = match &token.kind {
            Kind::Word(word) if word == "rec" => {
                return Err(Diagnostic::error(token.span, "recursive definitions are not supported"));
            }
            Kind::Word(word) => word.clone(),
            _ => return Err(unexpected(&token, "expected a name")),
        };
        if at.eat("(") {
            let mut params = Vec::new();
            loop {
                let token = at.next();
                match &token.kind {
                    Kind::Word(param) => params.push(param.clone()),
                    _ => return Err(unexpected(&token, "expected a parameter")),
                }
                if !at.eat(",") {
                    break;
                }
            }
            at.need(")")?;
            at.need("=")?;
            let function_body = |kind: &Kind| match kind {
                Kind::Word(word) => !STARTS.contains(&word.as_str()),
                Kind::End => false,
                _ => true,
            };
            let mut body = Vec::new();
            while function_body(&at.peek().kind) {
                body.push(at.next());
            }
            body.push(Token { kind: Kind::End, span: at.peek().span });
            let function = Function { params, body, names: self.names.clone() };
            self.names.insert(name, Thing::Function(Arc::new(function)));
        } else {
            at.need("=")?;
            let thing = Expressions { names: &self.names }.expression(at)?;
            self.names.insert(name, thing);
        }
        Ok(())
    }

    fn constraint(&mut self, at: &mut Cursor, test: Test) -> Result<()> {
        let span = at.peek().span;
        let thing = Expressions { names: &self.names }.expression(at)?;
        let relation = as_relation(thing, span)?;
        let mut name = format!("constraint {}", self.model.constraints.len() + 1);
        if at.eat_word("as") {
            let token = at.next();
            match &token.kind {
                Kind::Word(word) => name = word.clone(),
                _ => return Err(unexpected(&token, "expected a name")),
            }
        }
        if let Some(inner) = inverse_of_rf(&relation) {
            let message = format!("the inverse of `{inner}` is supported only in `rf^-1 ; co`");
            return Err(Diagnostic::error(span, message)
                .note("a load of the initial content reads from no event, so other uses would miss it"));
        }
        self.model.constraints.push(Constraint { test, relation, name });
        Ok(())
    }
}

/// The expression grammar, loosest first: `|`, `;`, `\`, `&`, `*`, then postfix and primary.
struct Expressions<'a> {
    names: &'a HashMap<String, Thing>,
}

impl Expressions<'_> {
    fn expression(&self, at: &mut Cursor) -> Result<Thing> {
        self.binary(at, 0)
    }

    fn binary(&self, at: &mut Cursor, level: usize) -> Result<Thing> {
        const SIGNS: [&str; 5] = ["|", ";", "\\", "&", "*"];
        let Some(&sign) = SIGNS.get(level) else { return self.postfix(at) };
        let start = at.peek().span;
        let mut left = self.binary(at, level + 1)?;
        while at.eat(sign) {
            let next = at.peek().span;
            let right = self.binary(at, level + 1)?;
            left = combine(sign, left, right, start.to(next))?;
        }
        Ok(left)
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
                let thing = self.expression(at)?;
                at.need(")")?;
                Ok(thing)
            }
            Kind::Sign("[") => {
                let span = at.peek().span;
                let set = as_set(self.expression(at)?, span)?;
                at.need("]")?;
                Ok(Thing::Relation(Arc::new(Relation::Identity(set))))
            }
            Kind::Word(word) if word == "0" => Ok(Thing::Relation(Arc::new(Relation::Empty))),
            Kind::Word(word) => self.name(word, &token, at),
            _ => Err(unexpected(&token, "expected a set or a relation")),
        }
    }

    fn name(&self, word: &str, token: &Token, at: &mut Cursor) -> Result<Thing> {
        let found = self.names.get(word).cloned();
        let base = || {
            let set = BaseSet::named(word).map(|set| Thing::Set(Arc::new(Set::Base(set))));
            set.or_else(|| {
                BaseRelation::named(word).map(|base| Thing::Relation(Arc::new(Relation::Base(base))))
            })
        };
        match found.or_else(base) {
            Some(Thing::Function(function)) => self.call(word, &function, token, at),
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
        at.need("(")?;
        let mut args = vec![self.expression(at)?];
        while at.eat(",") {
            args.push(self.expression(at)?);
        }
        at.need(")")?;
        if args.len() != function.params.len() {
            let wants = function.params.len();
            let message = format!("`{word}` takes {wants} argument{}", if wants == 1 { "" } else { "s" });
            return Err(Diagnostic::error(token.span, format!("{message}, not {}", args.len())));
        }
        let mut names = function.names.clone();
        names.extend(function.params.iter().cloned().zip(args));
        let mut body = Cursor { tokens: &function.body, at: 0 };
        let thing = Expressions { names: &names }.expression(&mut body)?;
        match body.peek().kind {
            Kind::End => Ok(thing),
            _ => Err(unexpected(body.peek(), "expected the definition to end")),
        }
    }
}

fn combine(sign: &str, left: Thing, right: Thing, span: Span) -> Result<Thing> {
    if let (Thing::Set(a), Thing::Set(b)) = (&left, &right) {
        let (a, b) = (a.clone(), b.clone());
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

/// An inverse of something that mentions `rf`.
fn inverse_of_rf(relation: &Relation) -> Option<&'static str> {
    match relation {
        Relation::Inverse(inner) => mentions(inner, BaseRelation::Rf).then_some("rf"),
        Relation::Optional(inner) | Relation::Plus(inner) => inverse_of_rf(inner),
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) | Relation::Seq(a, b) => {
            inverse_of_rf(a).or_else(|| inverse_of_rf(b))
        }
        _ => None,
    }
}

/// Whether two relations in sequence are the usual definition of `fr`.
fn is_from_reads(first: &Relation, second: &Relation) -> bool {
    let rf = Relation::Base(BaseRelation::Rf);
    matches!(first, Relation::Inverse(inner) if **inner == rf) && *second == Relation::Base(BaseRelation::Co)
}

fn as_relation(thing: Thing, span: Span) -> Result<Arc<Relation>> {
    match thing {
        Thing::Relation(relation) => Ok(relation),
        Thing::Set(_) => Err(Diagnostic::error(span, "expected a relation, found a set")
            .help("`[S]` relates every event of the set `S` to itself")),
        Thing::Function(_) => Err(Diagnostic::error(span, "expected a relation, found a function")),
    }
}

fn as_set(thing: Thing, span: Span) -> Result<Arc<Set>> {
    match thing {
        Thing::Set(set) => Ok(set),
        _ => Err(Diagnostic::error(span, "expected a set")),
    }
}

fn unexpected(token: &Token, expected: &str) -> Diagnostic {
    let found = match &token.kind {
        Kind::Word(word) => format!("`{word}`"),
        Kind::Text(text) => format!("\"{text}\""),
        Kind::Sign(sign) => format!("`{sign}`"),
        Kind::End => "the end of the file".into(),
    };
    Diagnostic::error(token.span, format!("{expected}, found {found}"))
}

/// Reads tokens; stays on the last, which is `End`.
struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Sign(next) if *next == sign);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Word(next) if next == word);
        if found {
            self.next();
        }
        found
    }

    fn need(&mut self, sign: &str) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { Err(unexpected(self.peek(), &format!("expected `{sign}`"))) }
    }
}

fn lex(text: &str, file: FileId) -> Result<Vec<Token>> {
    const SIGNS: [&str; 14] = ["^-1", "|", ";", "\\", "&", "*", "?", "+", "(", ")", "[", "]", ",", "="];
    let word_char = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let span = |len: usize| Span::new(file, at as u32, (at + len) as u32);
        let (kind, len) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("(*") {
            let Some(end) = rest.find("*)") else {
                return Err(Diagnostic::error(span(2), "comment has no end").help("close it with `*)`"));
            };
            at += end + 2;
            continue;
        } else if c == '"' {
            let Some(end) = rest[1..].find('"') else {
                return Err(Diagnostic::error(span(1), "string has no end"));
            };
            (Kind::Text(rest[1..=end].into()), end + 2)
        } else if c.is_alphanumeric() || c == '_' {
            let len = rest.find(|c| !word_char(c)).unwrap_or(rest.len());
            (Kind::Word(rest[..len].into()), len)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign(sign), sign.len())
        } else {
            return Err(Diagnostic::error(span(c.len_utf8()), format!("unexpected character `{c}`")));
        };
        tokens.push(Token { kind, span: span(len) });
        at += len;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, at as u32, at as u32) });
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: std::result::Result<&str, &str>) {
        let mut sources = SourceMap::default();
        let id = sources.add("m.cat", text, Origin::User);
        let shown = match model("m", id, &mut sources) {
            Ok(model) => Ok(format!("{:?}", model.constraints[0].relation)),
            Err(errors) => {
                let (span, _) = errors[0].primary.clone().unwrap();
                Err(format!("{}: {}", sources.position(span).column, errors[0].message))
            }
        };
        assert_eq!(shown.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn precedence_and_functions() {
        check("acyclic po | rf ; co & fr", Ok("Union(Base(Po), Seq(Base(Rf), Inter(Base(Co), Base(Fr))))"));
        check("let f(r, s) = r \\ [s] acyclic f(po, W)", Ok("Diff(Base(Po), Identity(Base(W)))"));
        check(
            "let f(r) = r? ; r acyclic f(po^-1)",
            Ok("Seq(Optional(Inverse(Base(Po))), Inverse(Base(Po)))"),
        );
        check("let a = po let f(r) = a | r let a = rf acyclic f(co)", Ok("Union(Base(Po), Base(Co))"));
        check("acyclic rf^-1 ; co", Ok("Base(Fr)"));
        check(
            "let f(s) = [s] ; po let S = W | CAS acyclic f(S)",
            Ok("Seq(Identity(Union(Base(W), Base(Cas))), Base(Po))"),
        );
        check("empty [R|W] ; (W*R)", Ok("Seq(Identity(Union(Base(R), Base(W))), Product(Base(W), Base(R)))"));
    }

    #[test]
    fn mistakes() {
        check("acyclic po | xyz", Err("14: unknown name `xyz`"));
        check("acyclic R", Err("9: expected a relation, found a set"));
        check("acyclic po ;", Err("13: expected a set or a relation, found the end of the file"));
        check("let rec a = po", Err("5: recursive definitions are not supported"));
        check("include \"nope.cat\"", Err("9: no model file `nope.cat` ships with Fencepost"));
        check("let f(r) = r acyclic f(po, rf)", Err("22: `f` takes 1 argument, not 2"));
        check("let f(r) = r ) acyclic f(po)", Err("14: expected the definition to end, found `)`"));
        check("(* a", Err("1: comment has no end"));
        check("let a = po", Err("1: model has no constraint"));
        check("acyclic po ! rf", Err("12: unexpected character `!`"));
        check("acyclic rf^-1 ; rf", Err("9: the inverse of `rf` is supported only in `rf^-1 ; co`"));
        check("foo", Err("1: expected `let`, `include` or a constraint, found `foo`"));
    }
}
