//! From the text of a model to [`crate::cat`]: statements, definitions, includes.

use crate::cat::{BaseRelation, Constraint, Model, Recursion, Relation, Set, Test};
use crate::expression::{Expressions, Thing, as_relation, is_reserved, parameters, variant};
use crate::lex::{Cursor, Kind, Result, lex, unexpected};
use crate::library::{mappings, shipped};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, Origin, SourceMap, Span};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// What every model finds defined.
const STANDARD: &str = "stdlib.cat";

/// Parses the model in a file of `sources`.
pub(crate) fn model(
    name: &str,
    file: FileId,
    mapping: Option<&str>,
    sources: &mut SourceMap,
) -> std::result::Result<Model, Vec<Diagnostic>> {
    let mut reader = Reader {
        names: HashMap::new(),
        recursions: 0,
        mapping: mapping.map(str::to_owned),
        model: Model {
            name: name.into(),
            title: String::new(),
            mapping: None,
            constraints: Vec::new(),
            flags: Vec::new(),
            buffering: None,
            out_of_order: false,
            ghosts: false,
        },
    };
    let text = shipped(STANDARD).expect("it ships");
    let standard = sources.add(STANDARD, text, Origin::System);
    reader.file(standard, sources, 1).map_err(|error| vec![error])?;
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
    /// How many groups of recursive definitions there were.
    recursions: u32,
    /// The mapping that was asked for.
    mapping: Option<String>,
    model: Model,
}

const STATEMENT: &str = "expected `let`, `include` or a constraint";

impl Reader {
    fn file(&mut self, file: FileId, sources: &mut SourceMap, depth: u32) -> Result<()> {
        let tokens = lex(&sources.file(file).text, file)?;
        let mut at = Cursor { tokens: &tokens, at: 0 };
        // A title is a string, or a word that stands alone in front of everything.
        let title = match &at.peek().kind {
            Kind::Text(title) => Some(title.clone()),
            Kind::Word(word)
                if !is_reserved(word) && !matches!(at.second().kind, Kind::Sign(_) | Kind::End) =>
            {
                Some(word.clone())
            }
            _ => None,
        };
        if let Some(title) = title {
            at.next();
            if depth == 0 {
                self.model.title = title;
            }
        }
        while at.peek().kind != Kind::End {
            self.statement(&mut at, sources, depth)?;
        }
        Ok(())
    }

    fn statement(&mut self, at: &mut Cursor, sources: &mut SourceMap, depth: u32) -> Result<()> {
        let negated = at.eat("~");
        let token = at.next();
        let Kind::Word(word) = &token.kind else { return Err(unexpected(&token, STATEMENT)) };
        let test = test(word);
        if negated && test.is_some() {
            return Err(Diagnostic::error(token.span, format!("`~{word}` cannot be required of executions"))
                .help(format!("`flag ~{word}` makes an error of executions that break it")));
        }
        match word.as_str() {
            "let" => self.definitions(at),
            "include" => self.include(at, sources, depth),
            "flag" => self.flag(at, true),
            "undefined_unless" => self.flag(at, false),
            // Shown in pictures only.
            "show" | "unshow" => self.show(at),
            "enum" => enumeration(at),
            "instructions" => instructions(at),
            "if" => self.conditional(at, sources, depth),
            _ => match test {
                Some(test) => {
                    let constraint = self.constraint(at, test)?;
                    self.model.constraints.push(constraint);
                    Ok(())
                }
                None if is_reserved(word) => {
                    Err(Diagnostic::error(token.span, format!("`{word}` is not supported")))
                }
                None => Err(unexpected(&token, STATEMENT)),
            },
        }
    }

    /// `if "variant" (statements) else (statements)`.
    fn conditional(&mut self, at: &mut Cursor, sources: &mut SourceMap, depth: u32) -> Result<()> {
        let mut taken = variant(at)?;
        loop {
            at.need("(")?;
            while !at.eat(")") {
                let before = (self.names.clone(), self.model.clone());
                self.statement(at, sources, depth)?;
                if !taken {
                    (self.names, self.model) = before;
                }
            }
            if !at.eat_word("else") {
                return Ok(());
            }
            taken = !taken;
        }
    }

    fn include(&mut self, at: &mut Cursor, sources: &mut SourceMap, depth: u32) -> Result<()> {
        let token = at.next();
        let Kind::Text(name) = &token.kind else {
            return Err(unexpected(&token, "expected a file name in quotes"));
        };
        if depth > 8 {
            return Err(Diagnostic::error(token.span, "files include each other"));
        }
        let name = &match name.strip_suffix("-mapping.cat") {
            Some(machine) => self.mapped(machine, token.span)?,
            None => name.clone(),
        };
        let beside = Path::new(&sources.file(token.span.file).name).parent().map(|folder| folder.join(name));
        let own = || beside.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let (text, origin) = match shipped(name) {
            Some(text) => (text.to_string(), Origin::System),
            None => match own() {
                Some(text) => (text, Origin::User),
                None => {
                    let message =
                        format!("no model file `{name}` stands beside this one or ships with Fencepost");
                    return Err(Diagnostic::error(token.span, message));
                }
            },
        };
        let shown = match origin {
            Origin::User => beside.map_or(name.clone(), |path| path.display().to_string()),
            _ => name.clone(),
        };
        let file = sources.add(shown, &text, origin);
        self.file(file, sources, depth + 1)
    }

    /// The file of the mapping to a machine: the one that was asked for, or the usual one.
    fn mapped(&mut self, machine: &str, span: Span) -> Result<String> {
        let known = mappings(machine);
        let found = match &self.mapping {
            Some(wanted) => known.iter().find(|mapping| *mapping == wanted),
            None => known.first(),
        };
        let Some(mapping) = found else {
            let wanted = self.mapping.as_deref().unwrap_or("usual");
            let message = format!("no mapping `{wanted}` from C to {machine}");
            return Err(Diagnostic::error(span, message).help(format!("there are: {}", known.join(", "))));
        };
        self.model.mapping = Some(mapping);
        Ok(format!("{machine}-{mapping}.cat"))
    }

    fn definitions(&mut self, at: &mut Cursor) -> Result<()> {
        if at.eat_word("rec") {
            return self.recursive(at);
        }
        // Names of one group do not see each other.
        let mut found = Vec::new();
        loop {
            found.push(Expressions { names: &self.names }.binding(at)?);
            if !at.eat_word("and") {
                break;
            }
        }
        self.names.extend(found);
        Ok(())
    }

    /// Relations that are defined by each other: the least ones.
    fn recursive(&mut self, at: &mut Cursor) -> Result<()> {
        let id = self.recursions;
        self.recursions += 1;
        let start = at.at;
        let heads = heads(at)?;
        at.at = start;
        let mut names = self.names.clone();
        for (index, (name, _)) in heads.iter().enumerate() {
            names.insert(name.clone(), Thing::Relation(Arc::new(Relation::Variable(id, index))));
        }
        let mut bodies = Vec::new();
        for (_, span) in &heads {
            at.name("expected a name")?;
            at.need("=")?;
            let body = as_relation(Expressions { names: &names }.expression(at)?, *span)?;
            if !grows(&body, id) {
                return Err(Diagnostic::error(
                    *span,
                    "a recursive definition must not take away from itself",
                )
                .note("with `\\` or `~`, there need not be a least relation"));
            }
            bodies.push(body);
            at.eat_word("and");
        }
        let group = Arc::new(Recursion { id, bodies });
        for (index, (name, _)) in heads.into_iter().enumerate() {
            let relation =
                closed(&group, index).unwrap_or_else(|| Arc::new(Relation::Recursive(group.clone(), index)));
            self.names.insert(name, Thing::Relation(relation));
        }
        Ok(())
    }

    fn constraint(&mut self, at: &mut Cursor, test: Test) -> Result<Constraint> {
        let span = at.peek().span;
        let thing = Expressions { names: &self.names }.expression(at)?;
        let relation = match thing {
            Thing::Set(set) if test == Test::Empty => Arc::new(Relation::Identity(set)),
            thing => as_relation(thing, span)?,
        };
        let mut name = format!("constraint {}", self.model.constraints.len() + 1);
        if at.eat_word("as") {
            name = at.name("expected a name")?.0;
        }
        if inverts_rf(&relation) {
            let message = "the inverse of `rf` is supported only in `rf^-1 ; co`";
            return Err(Diagnostic::error(span, message)
                .note("a load of the initial content reads from no event, so other uses would miss it"));
        }
        Ok(Constraint { test, relation, name })
    }

    /// What follows `flag`, or `undefined_unless`: executions that break it are errors.
    fn flag(&mut self, at: &mut Cursor, negated: bool) -> Result<()> {
        if at.eat("~") != negated {
            return Err(unexpected(
                at.peek(),
                if negated { "expected `~`" } else { "expected a constraint" },
            )
            .note("only what breaks a constraint can be flagged, such as `flag ~empty races`"));
        }
        let token = at.next();
        let test = match &token.kind {
            Kind::Word(word) => test(word),
            _ => None,
        };
        let Some(test) = test else {
            return Err(unexpected(&token, "expected `acyclic`, `irreflexive` or `empty`"));
        };
        let constraint = self.constraint(at, test)?;
        self.model.flags.push(constraint);
        Ok(())
    }

    fn show(&mut self, at: &mut Cursor) -> Result<()> {
        loop {
            Expressions { names: &self.names }.expression(at)?;
            if at.eat_word("as") {
                at.name("expected a name")?;
            }
            if !at.eat(",") {
                return Ok(());
            }
        }
    }
}

fn test(word: &str) -> Option<Test> {
    Some(match word {
        "acyclic" => Test::Acyclic,
        "irreflexive" => Test::Irreflexive,
        "empty" => Test::Empty,
        _ => return None,
    })
}

/// The names of a group of recursive definitions.
fn heads(at: &mut Cursor) -> Result<Vec<(String, Span)>> {
    let mut heads = Vec::new();
    loop {
        let head = at.name("expected a name")?;
        if let Some(params) = parameters(at)? {
            let message = format!("`{}({})` is recursive", head.0, params.join(", "));
            return Err(
                Diagnostic::error(head.1, message).note("only relations can be recursive, not functions")
            );
        }
        at.need("=")?;
        heads.push(head);
        let mut depth = 0;
        loop {
            match &at.peek().kind {
                Kind::Word(word) if word == "and" && depth == 0 => break,
                Kind::Word(word) if word == "let" && depth == 0 => return Ok(heads),
                Kind::Word(word) if is_reserved(word) && depth == 0 => return Ok(heads),
                Kind::End => return Ok(heads),
                Kind::Sign("(" | "[") => depth += 1,
                Kind::Sign(")" | "]") => depth -= 1,
                _ => {}
            }
            at.next();
        }
        at.next();
    }
}

/// `enum E = 'a || 'b`, whose members no event has.
fn enumeration(at: &mut Cursor) -> Result<()> {
    at.name("expected a name")?;
    at.need("=")?;
    loop {
        let token = at.next();
        if !matches!(token.kind, Kind::Tag(_)) {
            return Err(unexpected(&token, "expected a tag such as `'acquire`"));
        }
        if !at.eat("||") {
            return Ok(());
        }
    }
}

/// `instructions R[{'a, 'b}]`.
fn instructions(at: &mut Cursor) -> Result<()> {
    at.name("expected a set")?;
    at.need("[")?;
    let mut depth = 1;
    while depth > 0 {
        match at.next() {
            token if token.kind == Kind::End => return Err(unexpected(&token, "expected `]`")),
            token if token.kind == Kind::Sign("[") => depth += 1,
            token if token.kind == Kind::Sign("]") => depth -= 1,
            _ => {}
        }
    }
    Ok(())
}

/// Whether a body has more pairs the more pairs the relations of its group have.
fn grows(relation: &Relation, id: u32) -> bool {
    let set = |set: &Set| !set.any_relation(&mut |r| has_variable(r, id));
    match relation {
        Relation::Diff(a, b) => grows(a, id) && !has_variable(b, id),
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Seq(a, b) => grows(a, id) && grows(b, id),
        Relation::Inverse(r) | Relation::Optional(r) | Relation::Plus(r) => grows(r, id),
        Relation::Recursive(group, _) => group.bodies.iter().all(|body| grows(body, id)),
        // Sets of recursive relations would do, but nobody has a use for them.
        Relation::Identity(s) => set(s),
        Relation::Product(s, t) => set(s) && set(t),
        Relation::Empty | Relation::Base(_) | Relation::Variable(..) => true,
    }
}

fn has_variable(relation: &Relation, id: u32) -> bool {
    relation.any(&mut |r| matches!(r, Relation::Variable(of, _) if *of == id))
}

/// The definition `r = b | r ; r`, and those with `b` on one side, without recursion.
fn closed(group: &Recursion, index: usize) -> Option<Arc<Relation>> {
    let [body] = group.bodies.as_slice() else { return None };
    let own = Relation::Variable(group.id, index);
    let mut base: Option<Arc<Relation>> = None;
    let mut repeats = false;
    for part in parts(body) {
        match &*part {
            Relation::Seq(a, b) if **a == own && **b == own => repeats = true,
            part if has_variable(part, group.id) => return None,
            _ => {
                base = Some(match base {
                    Some(base) => Arc::new(Relation::Union(base, part)),
                    None => part,
                });
            }
        }
    }
    let base = base?;
    Some(if repeats { Arc::new(Relation::Plus(base)) } else { base })
}

fn parts(relation: &Arc<Relation>) -> Vec<Arc<Relation>> {
    match &**relation {
        Relation::Union(a, b) => [parts(a), parts(b)].concat(),
        _ => vec![relation.clone()],
    }
}

/// Whether `rf`, or a part of it, is inverted.
fn inverts_rf(relation: &Relation) -> bool {
    relation.any(&mut |r| matches!(r, Relation::Inverse(inner) if reads_from(inner)))
}

/// Whether all pairs of a relation are such that the second reads from the first.
fn reads_from(relation: &Relation) -> bool {
    match relation {
        Relation::Base(base) => *base == BaseRelation::Rf,
        Relation::Diff(a, _) => reads_from(a),
        Relation::Union(a, b) | Relation::Inter(a, b) => reads_from(a) || reads_from(b),
        Relation::Seq(a, b) => match (&**a, &**b) {
            (Relation::Identity(_), r) | (r, Relation::Identity(_)) => reads_from(r),
            _ => false,
        },
        Relation::Optional(r) => reads_from(r),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: std::result::Result<&str, &str>) {
        let mut sources = SourceMap::default();
        let id = sources.add("m.cat", text, Origin::User);
        let shown = match model("m", id, None, &mut sources) {
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
        check("let a = po and b = rf acyclic a & b", Ok("Inter(Base(Po), Base(Rf))"));
        check("let f r = r acyclic f po", Ok("Base(Po)"));
        check("acyclic let a = po in a | a", Ok("Union(Base(Po), Base(Po))"));
        check("let f(r) = let a = r in a; a acyclic f(po)", Ok("Seq(Base(Po), Base(Po))"));
    }

    #[test]
    fn what_models_of_others_use() {
        check("acyclic po* ; rf", Ok("Seq(Optional(Plus(Base(Po))), Base(Rf))"));
        check("acyclic po*", Ok("Optional(Plus(Base(Po)))"));
        check("empty ~R * R", Ok("Product(Diff(Base(All), Base(R)), Base(R))"));
        check("acyclic ~po", Ok("Diff(Product(Base(All), Base(All)), Base(Po))"));
        check("acyclic [domain(rf)] ; po", Ok("Seq(Identity(Domain(Base(Rf))), Base(Po))"));
        check("acyclic [range rmw] ; po", Ok("Seq(Identity(Range(Base(Rmw))), Base(Po))"));
        check("acyclic 0 | po", Ok("Union(Empty, Base(Po))"));
        check("acyclic [R & {}]", Ok("Identity(Inter(Base(R), Diff(Base(All), Base(All))))"));
        check("acyclic if \"mixed\" then po else rf", Ok("Base(Rf)"));
        check("acyclic if not \"mixed\" && not \"x\" then po else rf", Ok("Base(Po)"));
        check("if \"mixed\" ( acyclic po ) else ( acyclic rf )", Ok("Base(Rf)"));
        check("SC (* by its name *) acyclic po", Ok("Base(Po)"));
        check(
            "enum E = 'a || 'b instructions R[{'a, 'b}] show po as p, rf unshow rf acyclic po",
            Ok("Base(Po)"),
        );
        check("acyclic po // to the end (* of the line\n", Ok("Base(Po)"));
        check("acyclic po (* (* nested *) *)", Ok("Base(Po)"));
        check("empty R", Ok("Identity(Base(R))"));
        check("acyclic rfe", Ok("Inter(Base(Rf), Base(Ext))"));
        check("acyclic fencerel(F)", Ok("Seq(Inter(Base(Po), Product(Base(All), Base(F))), Base(Po))"));
    }

    #[test]
    fn recursion() {
        check("let rec r = po | r ; r acyclic r", Ok("Plus(Base(Po))"));
        check(
            "let rec r = po | (s ; rf) and s = r acyclic s",
            Ok(
                "Recursive(Recursion { id: 0, bodies: [Union(Base(Po), Seq(Variable(0, 1), Base(Rf))), Variable(0, 0)] }, 1)",
            ),
        );
        check(
            "let rec r = po \\ r acyclic r",
            Err("9: a recursive definition must not take away from itself"),
        );
        check("let rec f(x) = f(x) acyclic po", Err("9: `f(x)` is recursive"));
    }

    #[test]
    fn flags() {
        let mut sources = SourceMap::default();
        let text = "acyclic po flag ~empty rf as races undefined_unless irreflexive co as x";
        let id = sources.add("m.cat", text, Origin::User);
        let model = model("m", id, None, &mut sources).unwrap();
        assert_eq!((model.constraints.len(), model.flags.len()), (1, 2));
        assert_eq!((model.flags[0].name.as_str(), model.flags[1].test), ("races", Test::Irreflexive));
        check("flag empty rf acyclic po", Err("6: expected `~`, found `empty`"));
        check("~acyclic po", Err("2: `~acyclic` cannot be required of executions"));
    }

    #[test]
    fn mistakes() {
        check("acyclic po | xyz", Err("14: unknown name `xyz`"));
        check("acyclic R", Err("9: expected a relation, found a set"));
        check("acyclic po ;", Err("13: expected a set or a relation, found the end of the file"));
        check(
            "include \"nope.cat\"",
            Err("9: no model file `nope.cat` stands beside this one or ships with Fencepost"),
        );
        check("let f(r) = r acyclic f(po, rf)", Err("22: `f` takes 1 argument, not 2"));
        check("let f(r) = r ) acyclic f(po)", Err("14: expected the definition to end, found `)`"));
        check("(* a", Err("1: comment has no end"));
        check("let a = po", Err("1: model has no constraint"));
        check("acyclic po ! rf", Err("12: unexpected character `!`"));
        check("acyclic rf^-1 ; rf", Err("9: the inverse of `rf` is supported only in `rf^-1 ; co`"));
        check("acyclic rfe^-1", Err("9: the inverse of `rf` is supported only in `rf^-1 ; co`"));
        check("acyclic po foo", Err("12: expected `let`, `include` or a constraint, found `foo`"));
        check("procedure f() = end acyclic po", Err("1: `procedure` is not supported"));
    }
}
