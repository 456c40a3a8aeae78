//! From pragmas to a harness.
//!
//! Each operation becomes a procedure that takes the open arguments, makes the user's call and returns
//! what is observed, so that nothing behind the front end knows how C passes things.

use super::builder::Builder;
use super::pragma::{OpPragma, TestPragma};
use super::scope::Entity;
use super::{Data, Lowerer};
use crate::ast::{Expr, ExprKind};
use crate::types::{FunctionType, QualType, Type, TypeId};
use fencepost_harness::operation::{Harness, Input, Operation, Output, ValueTy};
use fencepost_harness::oracle::declaration;
use fencepost_harness::test;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Operand, ProcId, Reg, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::Value;

impl<'u> Lowerer<'u> {
    /// Makes the harness that the pragmas describe. The program itself is filled in later.
    pub(super) fn harness(&mut self) -> Harness {
        let pragmas = self.pragmas;
        let mut harness = Harness {
            models: pragmas.models.clone(),
            expectations: pragmas.expectations.clone(),
            ..Harness::default()
        };
        for pragma in &pragmas.ops {
            if harness.find_op(&pragma.name).is_some() {
                self.error(pragma.span, format!("operation `{}` is declared twice", pragma.name));
                continue;
            }
            harness.ops.extend(self.operation(pragma));
        }
        if !pragmas.inits.is_empty() {
            harness.init = Some(self.init_proc(&pragmas.inits));
        }
        for pragma in &pragmas.tests {
            self.read_test(&mut harness, pragma);
        }
        for (place, oracle) in pragmas.oracles.iter().enumerate() {
            if place > 0 {
                self.error(*oracle, "the oracle is declared twice");
            }
            let (text, at) = self.rest_of_line(*oracle);
            match declaration::parse(text, oracle.file, at) {
                Ok(declaration) => harness.oracle = Some(declaration),
                Err(diagnostic) => self.report(diagnostic),
            }
        }
        self.check_names(&harness);
        if let Some(symbol) = self.names.find("main") {
            harness.main = self.reach(symbol);
        }
        harness
    }

    /// A procedure around the user's call.
    fn operation(&mut self, pragma: &'u OpPragma) -> Option<Operation> {
        let call = &pragma.call;
        let ExprKind::Call { callee, arguments } = &call.kind else {
            let diagnostic = Diagnostic::error(call.span, "an operation is a call of a function")
                .help("write for example `op e = enqueue(&q, any(0, 1))`");
            self.report(diagnostic);
            return None;
        };
        let ExprKind::Name(symbol) = callee.kind else {
            self.error(callee.span, "an operation calls a function by its name");
            return None;
        };
        let Some(Entity::Function(_)) = self.scopes.find_in_file(symbol) else {
            self.unknown_name(symbol, callee.span);
            return None;
        };
        let ty = self.functions.declared.get(&symbol)?.ty;
        let Type::Function(signature) = self.types.get(ty.id).clone() else { return None };
        if arguments.len() != signature.parameters.len() {
            let wanted = signature.parameters.len();
            let s = if wanted == 1 { "" } else { "s" };
            let message =
                format!("`{}` takes {wanted} argument{s}, not {}", self.text(symbol), arguments.len());
            self.error(call.span, message);
            return None;
        }
        let Some(callee) = self.reach(symbol) else {
            self.no_body(symbol, callee.span);
            return None;
        };
        let name = format!("op {}", pragma.name);
        let proc = self.reserve_proc(&name, pragma.span);
        let outer = std::mem::take(&mut self.builder);
        self.builder.open();
        let mut wrapper = Wrapper { params: Vec::new(), inputs: Vec::new(), outs: Vec::new() };
        let mut args = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&signature.parameters) {
            args.push(self.argument(argument, *parameter, &mut wrapper));
        }
        if self.asks(symbol) {
            args.push(self.hidden_argument());
        }
        let (results, outputs) = self.wrap(callee, &signature, args, &wrapper, call.span);
        let body = self.builder.close();
        let Builder { regs, .. } = std::mem::replace(&mut self.builder, outer);
        let target = &mut self.program.procs[proc.index()];
        target.params = wrapper.params;
        target.results = results;
        target.regs = regs;
        target.body = body;
        let function = self.text(symbol).to_owned();
        let inputs = wrapper.inputs;
        Some(Operation { name: pragma.name.clone(), proc, inputs, outputs, function, span: pragma.span })
    }

    /// An argument of an operation: open, an out-parameter, or an expression.
    fn argument(&mut self, argument: &'u Expr, parameter: QualType, wrapper: &mut Wrapper) -> Operand {
        match &argument.kind {
            ExprKind::Name(symbol) if self.text(*symbol) == "out" && self.scopes.find(*symbol).is_none() => {
                let Some(to) = self.types.pointee(parameter.id).filter(|to| self.can_be_observed(to.id))
                else {
                    let shown = self.types.show(parameter);
                    self.error(
                        argument.span,
                        format!("`out` needs a pointer to a number, a pointer or a record, the parameter is `{shown}`"),
                    );
                    return 0.into();
                };
                let (layout, size) = (Some(self.layout(to.id)), self.size_of(to, argument.span));
                let addr = self.builder.stack(size, self.types.align_of(to), layout, argument.span);
                wrapper.outs.push((addr, to.id, argument.span));
                addr.into()
            }
            ExprKind::Call { callee, arguments } if self.is_any(callee) => {
                let mut choices = Vec::new();
                for choice in arguments {
                    if let Some(value) = self.constant_of(choice, parameter.id) {
                        choices.push(value);
                    }
                }
                choices.sort();
                choices.dedup();
                if arguments.is_empty() {
                    let diagnostic = Diagnostic::error(argument.span, "`any` needs values to choose from");
                    self.report(diagnostic.help("write for example `any(0, 1)`"));
                }
                if choices.is_empty() {
                    return 0.into();
                }
                let reg = self.builder.reg();
                wrapper.params.push(reg);
                wrapper.inputs.push(Input { choices, ty: self.value_ty(parameter.id) });
                reg.into()
            }
            _ => match self.constant_of(argument, parameter.id) {
                Some(value) => Operand::Const(value),
                None => 0.into(),
            },
        }
    }

    fn is_any(&self, callee: &Expr) -> bool {
        matches!(callee.kind, ExprKind::Name(symbol) if self.text(symbol) == "any" && self.scopes.find(symbol).is_none())
    }

    /// The value of a constant expression, converted to a type.
    fn constant_of(&mut self, expr: &'u Expr, ty: TypeId) -> Option<Value> {
        let constant = self.constant(expr)?;
        let value = self.convert(super::Value::word(constant.ty, constant.bits), ty, expr.span);
        match value.data {
            Data::Word(Operand::Const(word)) => Some(word),
            _ => None,
        }
    }

    /// The call itself, then what is observed of it.
    fn wrap(
        &mut self,
        callee: ProcId,
        signature: &FunctionType,
        mut args: Vec<Operand>,
        wrapper: &Wrapper,
        span: Span,
    ) -> (Vec<Reg>, Vec<Output>) {
        let result = signature.result.id;
        let reg = self.types.word(result).map(|_| self.builder.reg());
        let by_address = reg.is_none() && self.types.size(result).is_some();
        if by_address && !self.can_be_observed(result) {
            let shown = self.types.show(result);
            self.error(span, format!("an operation cannot return `{shown}`"));
            return (Vec::new(), Vec::new());
        }
        let object = by_address.then(|| self.temporary(result.into(), span));
        if let Some(object) = object {
            args.insert(0, object);
        }
        self.builder.emit(StmtKind::Call { proc: callee, args, results: reg.into_iter().collect() }, span);
        let mut observed = Vec::new();
        match (reg, object) {
            (Some(reg), _) if self.types.scalar(result).is_some() => {
                // Returning an undefined value is an error; testing it makes it one. Members of a record may be
                // undefined.
                self.builder.op(PrimOp::Truth, &[reg.into()], span);
                let output = Output { name: String::new(), member: String::new(), ty: self.value_ty(result) };
                observed.push((reg.into(), output));
            }
            (Some(reg), _) => self.observe_word(reg, result, &mut observed, span),
            (None, Some(object)) => self.observe_object("", object, result, &mut observed, span),
            (None, None) => {}
        }
        for &(addr, ty, span) in &wrapper.outs {
            self.observe_object("out", addr.into(), ty, &mut observed, span);
        }
        let mut results = Vec::new();
        let mut outputs = Vec::new();
        for (value, output) in observed {
            let reg = match value {
                Operand::Reg(reg) => reg,
                value => {
                    let reg = self.builder.reg();
                    self.builder.assign(reg, value, span);
                    reg
                }
            };
            results.push(reg);
            outputs.push(output);
        }
        (results, outputs)
    }

    pub(super) fn value_ty(&self, ty: TypeId) -> ValueTy {
        match (self.types.get(ty), self.types.word(ty)) {
            (Type::Bool, _) => ValueTy::Bool,
            (Type::Pointer(_), _) => ValueTy::Pointer,
            (_, Some(scalar)) => ValueTy::Int(scalar),
            _ => ValueTy::Pointer,
        }
    }

    /// The procedure that runs all `init` calls in order.
    fn init_proc(&mut self, calls: &'u [Expr]) -> ProcId {
        let span = calls[0].span;
        let proc = self.reserve_proc("init", span);
        let outer = std::mem::take(&mut self.builder);
        self.builder.open();
        for call in calls {
            self.discard(call);
        }
        let body = self.builder.close();
        let Builder { regs, .. } = std::mem::replace(&mut self.builder, outer);
        let target = &mut self.program.procs[proc.index()];
        target.regs = regs;
        target.body = body;
        proc
    }

    fn read_test(&mut self, harness: &mut Harness, pragma: &TestPragma) {
        let TestPragma { name, span, notation } = pragma;
        if harness.tests.iter().any(|test| test.name == *name) {
            return self.error(*span, format!("test `{name}` is declared twice"));
        }
        let (text, at) = self.rest_of_line(*notation);
        match test::parse(harness, name, text, notation.file, at) {
            Ok(test) => harness.tests.push(test),
            Err(diagnostic) => self.report(diagnostic),
        }
    }

    /// What stands in the rest of a line, and where it begins.
    fn rest_of_line(&self, span: Span) -> (&str, u32) {
        let text = self.program.sources.text(span);
        // A comment may end the line.
        let text = text.split("/*").next().unwrap_or("").split("//").next().unwrap_or("").trim_end();
        let blank = text.len() - text.trim_start().len();
        (text.trim_start(), span.start + blank as u32)
    }

    /// Expectations must speak of tests and models that exist.
    fn check_names(&mut self, harness: &Harness) {
        for expectation in &harness.expectations {
            // `verify` speaks of what verification without bounds finds, not of a test.
            let closed = matches!(expectation.test.as_str(), "main" | "verify") && harness.tests.is_empty();
            if !closed && !harness.tests.iter().any(|test| test.name == expectation.test) {
                let names: Vec<&str> = harness.tests.iter().map(|test| test.name.as_str()).collect();
                let message = format!("expectation of an unknown test `{}`", expectation.test);
                let diagnostic = Diagnostic::error(expectation.span, message);
                self.diagnostics.push(match names.is_empty() {
                    true => diagnostic,
                    false => diagnostic.help(format!("the tests are: {}", names.join(", "))),
                });
            }
        }
    }
}

/// The wrapper of an operation under construction.
struct Wrapper {
    params: Vec<Reg>,
    inputs: Vec<Input>,
    /// Objects of out-parameters: address, type, place.
    outs: Vec<(Reg, TypeId, Span)>,
}
