//! Functions: which there are, which are reached, and the procedures they become.

use super::builder::ReturnTo;
use super::scope::Entity;
use super::{Lowerer, visit};
use crate::ast::{Derivation, Encoding, Function, Name, Parameter, StringLiteral, Symbol};
use crate::types::{FunctionType, QualType, Type, TypeId};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::{CmpOp, PrimOp};
use fencepost_lsl::program::{Operand, Order, ProcId, Reg, StmtKind, address};
use fencepost_lsl::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A declared function.
pub(super) struct Declared<'u> {
    pub(super) ty: QualType,
    pub(super) span: Span,
    pub(super) body: Option<&'u Function>,
    /// Calls of it evaluate their arguments and do nothing else.
    pub(super) ignored: bool,
    /// The procedure it becomes, once something reaches it.
    pub(super) proc: Option<ProcId>,
}

/// All functions.
#[derive(Default)]
pub(super) struct Functions<'u> {
    pub(super) declared: FxHashMap<Symbol, Declared<'u>>,
    /// Those that have the thread that runs them as a hidden argument.
    pub(super) asking: FxHashSet<Symbol>,
    /// Reached, but not yet lowered.
    pending: Vec<Symbol>,
    /// Functions whose address is used, in the order of their addresses.
    addressed: Vec<Symbol>,
    /// For each type of function, the procedure that calls one by its address.
    dispatchers: Vec<(TypeId, ProcId, Span)>,
}

impl<'u> Lowerer<'u> {
    pub(super) fn declare_function(&mut self, name: Name, ty: QualType, ignored: bool) {
        self.check_clash(name, Entity::Function(name.symbol));
        self.scopes.declare(name.symbol, Entity::Function(name.symbol));
        if !self.scopes.is_file() {
            self.scopes.declare_in_file(name.symbol, Entity::Function(name.symbol));
        }
        match self.functions.declared.get_mut(&name.symbol) {
            Some(known) => {
                known.ignored |= ignored;
                // A prototype says more than `()`.
                let before = known.ty;
                if let Type::Function(FunctionType { parameters, variadic: true, .. }) =
                    self.types.get(before.id)
                    && parameters.is_empty()
                {
                    known.ty = ty;
                }
                if !self.types.compatible(before.id, ty.id) {
                    let text = self.text(name.symbol);
                    let (was, is) = (self.types.show(before), self.types.show(ty));
                    self.error(name.span, format!("`{text}` was declared as `{was}` before, now as `{is}`"));
                }
            }
            None => {
                let declared = Declared { ty, span: name.span, body: None, ignored, proc: None };
                self.functions.declared.insert(name.symbol, declared);
            }
        }
    }

    pub(super) fn declare_function_definition(&mut self, function: &'u Function) {
        let Some(name) = function.declarator.name else { return };
        self.check_attributes(function.specifiers.attributes.iter().chain(&function.declarator.attributes));
        let base = self.base_type(&function.specifiers);
        let mut ty = self.declared_type(base, &function.declarator);
        if !function.old_style_parameters.is_empty() {
            ty = self.old_style_type(function, ty);
        }
        self.declare_function(name, ty, false);
        if let Some(declared) = self.functions.declared.get_mut(&name.symbol) {
            if declared.body.is_some() || declared.ignored {
                let before = declared.span;
                return self.defined_twice(name, before);
            }
            declared.body = Some(function);
            declared.ty = ty;
            declared.span = name.span;
        }
    }

    fn defined_twice(&mut self, name: Name, before: Span) {
        let text = self.text(name.symbol);
        let diagnostic = Diagnostic::error(name.span, format!("function `{text}` is defined twice"))
            .related(before, "defined here before");
        self.report(match self.program.sources.is_user(before) {
            true => diagnostic,
            false => diagnostic
                .note("a header that the file includes defines it")
                .help("give it another name, or leave the header out under `#ifndef __FENCEPOST__`"),
        });
    }

    /// The type of `int f(a, b) int a; char *b; { … }`.
    fn old_style_type(&mut self, function: &'u Function, ty: QualType) -> QualType {
        let Type::Function(mut signature) = self.types.get(ty.id).clone() else { return ty };
        let mut known: FxHashMap<Symbol, QualType> = FxHashMap::default();
        for declaration in &function.old_style_parameters {
            let base = self.base_type(&declaration.specifiers);
            for declarator in &declaration.declarators {
                let ty = self.declared_type(base, &declarator.declarator);
                let ty: QualType = self.types.decay(ty).into();
                known.extend(declarator.declarator.name.map(|name| (name.symbol, ty)));
            }
        }
        for (parameter, ty) in parameters(function).iter().zip(&mut signature.parameters) {
            if let Some(&given) = parameter.declarator.name.and_then(|name| known.get(&name.symbol)) {
                *ty = given;
            }
        }
        self.types.intern(Type::Function(signature)).into()
    }

    /// The procedure of a function, which is lowered later; none if it has no body.
    pub(super) fn reach(&mut self, symbol: Symbol) -> Option<ProcId> {
        let declared = self.functions.declared.get(&symbol)?;
        if let Some(proc) = declared.proc {
            return Some(proc);
        }
        let body = declared.body?;
        let name = self.text(symbol).to_owned();
        let span = body.declarator.span;
        let proc = self.reserve_proc(&name, span);
        if let Some(declared) = self.functions.declared.get_mut(&symbol) {
            declared.proc = Some(proc);
        }
        self.functions.pending.push(symbol);
        Some(proc)
    }

    /// The address of a function; 16 bytes for each whose address is used.
    pub(super) fn function_address(&mut self, symbol: Symbol) -> u64 {
        let known = self.functions.addressed.iter().position(|&other| other == symbol);
        let index = known.unwrap_or_else(|| {
            self.functions.addressed.push(symbol);
            self.functions.addressed.len() - 1
        });
        address::FUNCTIONS + 16 * index as u64
    }

    /// The procedure that calls a function of a type by its address.
    pub(super) fn dispatcher(&mut self, ty: TypeId, span: Span) -> ProcId {
        if let Some((_, proc, _)) = self.functions.dispatchers.iter().find(|(other, ..)| *other == ty) {
            return *proc;
        }
        let name = format!("call through `{}`", self.types.show(ty));
        let proc = self.reserve_proc(&name, span);
        self.functions.dispatchers.push((ty, proc, span));
        proc
    }

    /// Lowers everything that is reached, until nothing new is.
    pub(super) fn lower_pending(&mut self) {
        loop {
            while let Some(symbol) = self.functions.pending.pop() {
                self.lower_function(symbol);
            }
            if self.make_pending_objects() {
                continue;
            }
            // Only now is it known whose addresses are used; calling them may reach more.
            let before = (self.functions.addressed.len(), self.functions.dispatchers.len());
            for index in 0..self.functions.dispatchers.len() {
                let (ty, proc, span) = self.functions.dispatchers[index];
                self.lower_dispatcher(ty, proc, span);
            }
            let after = (self.functions.addressed.len(), self.functions.dispatchers.len());
            if self.functions.pending.is_empty() && before == after {
                return;
            }
        }
    }

    fn lower_function(&mut self, symbol: Symbol) {
        let Some(Declared { ty, body: Some(function), proc: Some(proc), .. }) =
            self.functions.declared.get(&symbol)
        else {
            return;
        };
        let (ty, function, proc) = (*ty, *function, *proc);
        let Type::Function(signature) = self.types.get(ty.id).clone() else { return };
        let outer = std::mem::take(&mut self.builder);
        let suspended = self.scopes.suspend();
        self.scopes.push();
        self.builder.name = self.text(symbol).to_owned();
        self.declare_function_name(symbol, function.span);
        self.builder.addressed = visit::addressed_names(&function.body, self.names);
        self.builder.label_names = visit::label_names(&function.body);
        self.builder.open();
        let label = self.builder.label();
        self.builder.open();

        let mut params = Vec::new();
        let mut results = Vec::new();
        let result = signature.result.id;
        let reg = if self.types.word(result).is_some() {
            let reg = self.builder.named_reg("return");
            results.push(reg);
            Some(reg)
        } else if self.types.size(result).is_some() {
            let reg = self.builder.named_reg("return");
            params.push(reg);
            Some(reg)
        } else {
            if !matches!(self.types.get(result), Type::Void) {
                let shown = self.types.show(result);
                let message = format!("function returns `{shown}`, whose size is not known");
                self.error(function.declarator.span, message);
            }
            None
        };
        self.builder.result = Some(ReturnTo { label, ty: result, reg });
        for (parameter, ty) in parameters(function).iter().zip(&signature.parameters) {
            params.push(self.declare_parameter(parameter.declarator.name, *ty, function.span));
            if let ("main", Some(name)) = (self.text(symbol), parameter.declarator.name) {
                self.scopes.declare(name.symbol, Entity::CommandLine);
            }
        }
        if self.asks(symbol) {
            let thread = self.builder.named_reg("thread");
            params.push(thread);
            self.builder.thread = Some(thread.into());
        } else if self.text(symbol) == "main" {
            self.builder.thread = Some(1.into());
        }
        self.block(&function.body);
        // `main` returns zero if it does not say otherwise.
        if let (Some(reg), "main") = (reg, self.text(symbol)) {
            self.builder.assign(reg, 0.into(), function.span);
        }
        self.builder.close_block(label, false, function.span);
        let body = self.builder.close();
        self.scopes.restore(suspended);
        let made = std::mem::replace(&mut self.builder, outer);
        self.noted.push((proc, made.noted));
        let target = &mut self.program.procs[proc.index()];
        target.params = params;
        target.results = results;
        target.regs = made.regs;
        target.body = body;
    }

    /// Declares `__func__` and its older spellings, where the file uses them at all.
    fn declare_function_name(&mut self, function: Symbol, span: Span) {
        let names = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"];
        for symbol in names.into_iter().filter_map(|name| self.names.find(name)) {
            let bytes = self.text(function).as_bytes().to_vec();
            let mut element = QualType::from(self.types.char());
            element.qualifiers.is_const = true;
            let ty = self.types.array(element, Some(bytes.len() as u64 + 1)).into();
            let addr = self.string(&StringLiteral { bytes, encoding: Encoding::Plain }, span);
            self.scopes.declare(symbol, Entity::Global { ty, addr, defined: true });
        }
    }

    /// Declares a parameter; returns the register it arrives in.
    fn declare_parameter(&mut self, name: Option<Name>, ty: QualType, function: Span) -> Reg {
        let reg = self.builder.named_reg(name.map_or("", |name| self.names.text(name.symbol)));
        if self.types.size(ty.id).is_none() {
            let shown = self.types.show(ty);
            let span = name.map_or(function, |name| name.span);
            self.error(span, format!("parameter of type `{shown}`, whose size is not known"));
        }
        let Some(name) = name else { return reg };
        let entity = match self.types.word(ty.id) {
            // A large record comes as the address of a copy made for this call.
            None => Entity::Stack { ty, addr: reg },
            Some(_) if self.fits_register(name, ty) => Entity::Register { ty, reg },
            Some(word) => {
                let (layout, size) = (Some(self.layout(ty.id)), self.size_of(ty, name.span));
                let addr = self.builder.stack(size, self.types.align_of(ty), layout, name.span);
                self.builder.store(addr.into(), reg.into(), word, Order::Plain, name.span);
                Entity::Stack { ty, addr }
            }
        };
        self.scopes.declare(name.symbol, entity);
        reg
    }

    /// A procedure that compares an address with those of all fitting functions and calls the one it is.
    fn lower_dispatcher(&mut self, ty: TypeId, proc: ProcId, span: Span) {
        let Type::Function(signature) = self.types.get(ty).clone() else { return };
        let outer = std::mem::take(&mut self.builder);
        self.builder.open();
        let done = self.builder.label();
        self.builder.open();
        let target = self.builder.named_reg("function");
        let mut params = vec![target];
        let by_address =
            self.types.word(signature.result.id).is_none() && self.types.size(signature.result.id).is_some();
        let args = signature.parameters.len();
        params.extend((0..args + usize::from(by_address)).map(|_| self.builder.reg()));
        let thread = self.pointers_ask().then(|| self.builder.named_reg("thread"));
        params.extend(thread);
        let result = self.types.word(signature.result.id).map(|_| self.builder.named_reg("return"));
        for symbol in self.functions.addressed.clone() {
            let Some(taken) = self.fitting_parameters(symbol, ty, args) else { continue };
            let Some(callee) = self.reach(symbol) else { continue };
            let addr = self.function_address(symbol);
            let next = self.builder.label();
            self.builder.open();
            let other = self.builder.op(PrimOp::Cmp(CmpOp::Ne, false), &[target.into(), addr.into()], span);
            self.builder.break_if(next, other, span);
            let taken = &params[1..=taken + usize::from(by_address)];
            let hidden = thread.filter(|_| self.asks(symbol));
            let args = taken.iter().copied().chain(hidden).map(Operand::from).collect();
            let results = result.into_iter().collect();
            self.builder.emit(StmtKind::Call { proc: callee, args, results }, span);
            self.builder.break_to(done, span);
            self.builder.close_block(next, false, span);
        }
        let fault = fencepost_lsl::fault::Fault::BadCall;
        self.builder.emit(StmtKind::Assert { cond: 0.into(), fault }, span);
        self.builder.close_block(done, false, span);
        let body = self.builder.close();
        let made = std::mem::replace(&mut self.builder, outer);
        let target = &mut self.program.procs[proc.index()];
        target.params = params;
        target.results = result.into_iter().collect();
        target.regs = made.regs;
        target.body = body;
    }
}

impl Lowerer<'_> {
    /// How many parameters a function takes, if it can be called as one of a type with so many.
    fn fitting_parameters(&self, symbol: Symbol, ty: TypeId, args: usize) -> Option<usize> {
        let declared = self.functions.declared.get(&symbol)?;
        let Type::Function(FunctionType { parameters, .. }) = self.types.get(declared.ty.id) else {
            return None;
        };
        (self.types.compatible(declared.ty.id, ty) && parameters.len() <= args).then_some(parameters.len())
    }
}

/// The parameters of a function definition.
fn parameters(function: &Function) -> &[Parameter] {
    match function.declarator.derivations.first() {
        Some(Derivation::Function(derivation)) => &derivation.parameters,
        _ => &[],
    }
}
