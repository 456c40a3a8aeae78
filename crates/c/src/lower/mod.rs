//! From the syntax tree to LSL: types are checked and code is made in one pass over each function, for
//! those functions and objects that the harness reaches.
//!
//! What cannot be lowered is reported with its reason and lowering goes on, so that one run finds all of
//! it. Code that nothing calls is not looked at: a file may hold much that has no part in the test.
//!
//! Where C leaves the order of evaluation open, operands are evaluated from left to right, but for
//! assignments, whose right side comes first, as GCC has it.

mod arith;
mod atomics;
mod attributes;
mod bits;
mod bounds;
mod builder;
mod builtins;
mod calls;
mod conditional;
mod constant;
mod copies;
mod declare;
mod enumeration;
mod expr;
mod functions;
mod ghost;
mod globals;
mod harness;
mod identity;
mod init;
mod initializer;
mod jumps;
mod layouts;
mod member;
mod observed;
mod output;
mod place;
mod placement;
mod pragma;
mod retry;
mod scope;
mod slot_table;
mod slots;
mod stmt;
mod switch;
mod typing;
mod visit;
mod wide;

use crate::ast::{Expr, Interner, Item, Symbol, Unit};
use crate::types::{TypeId, Types};
use builder::Builder;
use fencepost_harness::operation::Harness;
use fencepost_lsl::diagnostic::{Diagnostic, Severity};
use fencepost_lsl::layout::LayoutId;
use fencepost_lsl::program::{Operand, ProcId, Program};
use fencepost_lsl::source::{SourceMap, Span};
use fencepost_lsl::value::IntTy;
use functions::Functions;
use globals::Globals;
use pragma::Pragmas;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;
use slots::Slots;
use std::cell::Cell;

/// Begins what is said where the front end contradicts itself.
const INTERNAL: &str = "internal error, please report it";

/// Lowers a unit and reads its pragmas. The sources move into the program; on errors they come back with
/// the diagnostics.
pub(crate) fn lower(
    unit: &Unit,
    sources: SourceMap,
    options: crate::Options,
) -> Result<(Harness, Vec<Diagnostic>), (SourceMap, Vec<Diagnostic>)> {
    let _span = tracing::info_span!("lower", items = unit.items.len()).entered();
    let mut diagnostics = Vec::new();
    let pragmas = pragma::read(unit, &mut diagnostics);
    let mut lowerer = Lowerer {
        pragmas: &pragmas,
        names: &unit.names,
        types: Types::default(),
        program: Program { sources, ..Program::default() },
        diagnostics,
        reports: 0,
        scopes: Scopes::default(),
        functions: Functions::default(),
        globals: Globals::default(),
        layouts: FxHashMap::default(),
        definitions: FxHashMap::default(),
        own_alignments: FxHashSet::default(),
        given_up: Cell::new(false),
        choices: FxHashMap::default(),
        unevaluated: 0,
        caveats: Vec::new(),
        noted: Vec::new(),
        builder: Builder::default(),
        slots: options.slots.then(Slots::default),
    };
    for item in &unit.items {
        lowerer.item(item);
    }
    lowerer.find_asking();
    let harness = lowerer.harness();
    lowerer.lower_pending();
    lowerer.placement_caveats();
    retry::mark(&mut lowerer.program);
    slot_table::finish(&mut lowerer.program);
    lowerer.program.globals.sort_by_key(|global| global.addr);
    let Lowerer { program, mut diagnostics, caveats, given_up, reports, .. } = lowerer;
    if given_up.get() && reports == 0 {
        diagnostics
            .push(Diagnostic::general(format!("{INTERNAL}: an expression was given up without a reason")));
    }
    diagnostics
        .sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|(span, _)| (span.file, span.start)));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err((program.sources, diagnostics));
    }
    Ok((Harness { program, caveats, ..harness }, diagnostics))
}

/// The state of lowering.
struct Lowerer<'u> {
    pragmas: &'u Pragmas,
    names: &'u Interner,
    types: Types,
    program: Program,
    diagnostics: Vec<Diagnostic>,
    /// How often something was reported, repetitions included.
    reports: usize,
    scopes: Scopes,
    functions: Functions<'u>,
    globals: Globals<'u>,
    layouts: FxHashMap<TypeId, LayoutId>,
    /// The types of struct, union and enum definitions met before, by their places in the tree: what
    /// stands in an expression may be lowered more than once.
    definitions: FxHashMap<usize, TypeId>,
    /// Names of variables and members that may be aligned otherwise than their types.
    own_alignments: FxHashSet<Symbol>,
    /// Whether an expression was given up before anything was reported.
    given_up: Cell<bool>,
    /// What was chosen by each `_Generic` and the like.
    choices: FxHashMap<*const Expr, &'u Expr>,
    /// How many operands around this place are not evaluated: those of `sizeof` and `typeof`, and
    /// branches that are never taken. Their code is thrown away.
    unevaluated: u32,
    /// What the program may do and the code made for it does not, for people.
    caveats: Vec<String>,
    /// What may look at where objects lie, by procedure.
    noted: Vec<(ProcId, placement::Noted)>,
    /// The procedure being made.
    builder: Builder,
    /// Places for fences, where they are asked for.
    slots: Option<Slots>,
}

/// The value of an expression.
#[derive(Clone, Copy, Debug)]
struct Value {
    /// Its type, without qualifiers.
    ty: TypeId,
    /// Where it is.
    data: Data,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// In a word: scalars, and records that fit one.
    Word(Operand),
    /// In memory at an address, to be read before anything writes there: other records.
    Object(Operand),
    /// Nowhere: `void`.
    Nothing,
}

impl Value {
    fn word(ty: TypeId, operand: impl Into<Operand>) -> Value {
        Value { ty, data: Data::Word(operand.into()) }
    }
}

impl<'u> Lowerer<'u> {
    fn text(&self, symbol: Symbol) -> &'u str {
        self.names.text(symbol)
    }

    /// Reports a problem, once: what is lowered twice is not wrong twice.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.reports += 1;
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes, once, that code which is run may do something that will not be explored.
    fn caveat(&mut self, caveat: &str) {
        if self.unevaluated == 0 && !self.caveats.iter().any(|known| known == caveat) {
            self.caveats.push(caveat.to_owned());
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// Reports something that C allows and we do not.
    fn unsupported(&mut self, span: Span, what: &str, why: &str) {
        self.report(Diagnostic::error(span, format!("{what} is not supported")).note(why));
    }

    /// Reports floating-point arithmetic.
    fn no_floats(&mut self, span: Span) -> Value {
        self.unsupported(span, "floating-point arithmetic", "values are integers and pointers");
        self.poison()
    }

    /// A value for an expression that was reported.
    fn poison(&self) -> Value {
        if self.reports == 0 {
            self.given_up.set(true);
        }
        Value::word(self.types.error(), 0)
    }

    /// Reports what cannot be, unless something was reported already that may have led to it: what would be made of it must
    /// not be taken for the program.
    fn impossible(&mut self, span: Span, what: &str) {
        if self.reports == 0 {
            self.error(span, format!("{INTERNAL}: {what}"));
        }
    }

    /// The word that values of a type are kept in, which must be scalar.
    fn scalar(&mut self, ty: TypeId, span: Span) -> IntTy {
        self.types.scalar(ty).unwrap_or_else(|| {
            self.impossible(span, "a word is computed that is none");
            IntTy::U64
        })
    }

    /// No value.
    fn nothing(&self) -> Value {
        Value { ty: self.types.void(), data: Data::Nothing }
    }

    /// Lowers something whose code is not wanted.
    fn unevaluated<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.unevaluated += 1;
        let result = self.thrown_away(lower).0;
        self.unevaluated -= 1;
        result
    }

    /// Lowers something and returns its code apart. What that code would need made where its block is entered is lost.
    fn thrown_away<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<fencepost_lsl::program::Stmt>) {
        self.builder.open();
        self.builder.enter_frame(false);
        let result = lower(self);
        self.builder.leave_frame();
        (result, self.builder.close())
    }

    fn item(&mut self, item: &'u Item) {
        match item {
            Item::Function(function) => self.declare_function_definition(function),
            Item::Declaration(declaration) => self.declare_global(declaration),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Asm(asm) => {
                self.unsupported(
                    asm.span,
                    "`asm` outside of a function",
                    "its effect on the program is not known",
                );
            }
        }
    }

    /// The procedure that a reachable function becomes; its body is lowered later.
    fn reserve_proc(&mut self, name: &str, span: Span) -> ProcId {
        self.program.procs.push(fencepost_lsl::program::Proc {
            name: name.into(),
            params: Vec::new(),
            results: Vec::new(),
            regs: Vec::new(),
            body: Vec::new(),
            span,
        });
        ProcId(self.program.procs.len() as u32 - 1)
    }
}
