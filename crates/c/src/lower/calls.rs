//! Calls: of functions, through pointers, and of what is built in.

use super::scope::Entity;
use super::{Data, Lowerer, Value};
use crate::ast::{Expr, ExprKind, Symbol};
use crate::types::{FunctionType, QualType, Type, TypeId};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{Operand, ProcId, StmtKind};
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    pub(super) fn call(&mut self, callee: &'u Expr, arguments: &'u [Expr], span: Span) -> Value {
        let callee = self.resolve(callee);
        if let ExprKind::Name(symbol) = callee.kind
            && matches!(self.scopes.find(symbol), Some(Entity::Function(_)) | None)
        {
            return self.call_named(symbol, callee.span, arguments, span);
        }
        let pointer = self.rvalue(callee);
        let function = self.types.pointee(pointer.ty).and_then(|to| match self.types.get(to.id) {
            Type::Function(signature) => Some((to.id, signature.clone())),
            _ => None,
        });
        let Some((mut ty, mut signature)) = function else {
            return self.not_callable(pointer.ty, callee.span);
        };
        if signature.variadic && signature.parameters.is_empty() {
            // Declared as `()`: what it takes is known from what it is given.
            signature.parameters = arguments.iter().map(|argument| self.promoted_type(argument)).collect();
            signature.variadic = false;
            ty = self.types.intern(Type::Function(signature.clone()));
        }
        let target = self.operand(pointer, callee.span);
        let proc = match self.unevaluated {
            0 => Some(self.dispatcher(ty, span)),
            _ => None,
        };
        let hidden = self.pointers_ask();
        self.call_proc((proc, hidden), &signature, Some(target), arguments, span)
    }

    /// A call whose result is not used.
    pub(super) fn call_for_effect(&mut self, callee: &'u Expr, arguments: &'u [Expr], span: Span) {
        let callee = self.resolve(callee);
        if let ExprKind::Name(symbol) = callee.kind
            && let Some(Entity::Function(_)) = self.scopes.find(symbol)
            && let Some(result) = self.ignored_result(symbol)
        {
            self.ignored_call(symbol, result, arguments, false, span);
            return;
        }
        self.call(callee, arguments, span);
    }

    /// The type of what a function returns, if calls of it do nothing but evaluate their arguments.
    fn ignored_result(&self, symbol: Symbol) -> Option<TypeId> {
        let declared = self.functions.declared.get(&symbol).filter(|declared| declared.ignored)?;
        match self.types.get(declared.ty.id) {
            Type::Function(signature) => Some(signature.result.id),
            _ => None,
        }
    }

    /// The type of an argument for which no parameter is declared.
    fn promoted_type(&mut self, argument: &'u Expr) -> QualType {
        let ty = self.type_of(argument);
        let ty = self.types.decay(ty);
        self.types.promote(ty).into()
    }

    fn not_callable(&mut self, ty: TypeId, span: Span) -> Value {
        if !self.types.is_error(ty) {
            let shown = self.types.show(ty);
            self.error(span, format!("expected a function, found `{shown}`"));
        }
        self.poison()
    }

    fn call_named(&mut self, symbol: Symbol, name_span: Span, arguments: &'u [Expr], span: Span) -> Value {
        let has_body = self.functions.declared.get(&symbol).is_some_and(|declared| declared.body.is_some());
        if !has_body && let Some(value) = self.builtin(self.text(symbol), arguments, span) {
            return value;
        }
        let Some(declared) = self.functions.declared.get(&symbol) else {
            self.unknown_function(symbol, name_span);
            arguments.iter().for_each(|argument| self.discard(argument));
            return self.poison();
        };
        let ty = declared.ty;
        let Type::Function(signature) = self.types.get(ty.id).clone() else { return self.poison() };
        if let Some(result) = self.ignored_result(symbol) {
            return self.ignored_call(symbol, result, arguments, true, span);
        }
        let proc = match self.unevaluated {
            0 => self.reach(symbol),
            _ => None,
        };
        if proc.is_none() && self.unevaluated == 0 {
            self.no_body(symbol, name_span);
            arguments.iter().for_each(|argument| self.discard(argument));
            return self.poison();
        }
        let hidden = self.asks(symbol);
        self.call_proc((proc, hidden), &signature, None, arguments, span)
    }

    /// Reports the call of a function that is not declared.
    fn unknown_function(&mut self, symbol: Symbol, span: Span) {
        let text = self.text(symbol);
        if let Some(what @ ("va_start" | "va_end" | "va_copy")) = text.strip_prefix("__builtin_") {
            self.refuse_variadic(&format!("`{what}`"), span);
            return;
        }
        if ["__builtin_", "__atomic_", "__sync_"].iter().any(|prefix| text.starts_with(prefix)) {
            return self.unsupported(
                span,
                &format!("`{text}`"),
                "the compiler's functions are known by name",
            );
        }
        self.unknown_name(symbol, span);
    }

    /// Reports the use of a function that is only declared.
    pub(super) fn no_body(&mut self, symbol: Symbol, span: Span) {
        let text = self.text(symbol);
        let declared = self.functions.declared.get(&symbol).map(|declared| declared.span);
        let mut diagnostic = Diagnostic::error(span, format!("function `{text}` has no body"))
            .note("what it does cannot be known from its declaration")
            .help("define it in this file, or include the file that does");
        if let Some(declared) = declared {
            diagnostic = diagnostic.related(declared, "declared here");
        }
        self.report(diagnostic);
    }

    /// Calls a procedure, by an address if it dispatches on one; `hidden` if it asks which thread runs. Without a
    /// procedure, only the type of the result is wanted.
    fn call_proc(
        &mut self,
        (proc, hidden): (Option<ProcId>, bool),
        signature: &FunctionType,
        target: Option<Operand>,
        arguments: &'u [Expr],
        span: Span,
    ) -> Value {
        let wanted = signature.parameters.len();
        if arguments.len() < wanted || arguments.len() > wanted && !signature.variadic {
            let least = if signature.variadic { "at least " } else { "" };
            let s = if wanted == 1 { "" } else { "s" };
            let message = format!("expected {least}{wanted} argument{s}, found {}", arguments.len());
            self.error(span, message);
            return self.poison();
        }
        let mut args: Vec<Operand> = target.into_iter().collect();
        let result = signature.result.id;
        let by_address = self.types.word(result).is_none() && self.types.size(result).is_some();
        let object = by_address.then(|| self.temporary(result.into(), span));
        args.extend(object);
        for (index, argument) in arguments.iter().enumerate() {
            let Some(parameter) = signature.parameters.get(index) else {
                self.discard(argument);
                continue;
            };
            let value = self.rvalue(argument);
            let value = self.convert(value, parameter.id, argument.span);
            args.push(match value.data {
                Data::Word(word) => word,
                _ => self.object_copy(value, argument.span),
            });
        }
        if hidden {
            args.push(self.hidden_argument());
        }
        let reg = self.types.word(result).map(|_| self.builder.reg());
        if let Some(proc) = proc {
            self.builder.emit(StmtKind::Call { proc, args, results: reg.into_iter().collect() }, span);
        }
        let data = match (reg, object) {
            (Some(reg), _) => Data::Word(reg.into()),
            (None, Some(addr)) => Data::Object(addr),
            (None, None) => Data::Nothing,
        };
        Value { ty: result, data }
    }

    /// Starts a thread that runs a function on some arguments.
    pub(super) fn spawn(&mut self, arguments: &'u [Expr], span: Span) -> Value {
        let [function, arguments @ ..] = arguments else { return self.nothing() };
        let ExprKind::Name(symbol) = function.kind else { return self.nothing() };
        let mut args = Vec::new();
        for argument in arguments {
            let value = self.rvalue(argument);
            args.push(self.operand(value, argument.span));
        }
        if self.asks(symbol) {
            // The new thread is known by what it gets first: its control block.
            args.extend(args.first().copied());
        }
        if let Some(proc) = self.reach(symbol) {
            self.builder.emit(StmtKind::Spawn { proc, args }, span);
        }
        self.nothing()
    }
}
