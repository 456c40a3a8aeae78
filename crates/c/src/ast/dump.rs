//! The tree as text, one line for each item, for tests and for people who debug the front end.
//!
//! Every node is a list that starts with its operator, in the order of the source; types are read from
//! the outside in: `int *a[3]` is `(array 3 (pointer int))`. Attributes other than those with a meaning
//! of their own are shown by name.

use crate::ast::*;

/// All items of a unit.
pub fn dump(unit: &Unit) -> String {
    let dumper = Dumper { names: &unit.names };
    unit.items.iter().map(|item| dumper.item(item) + "\n").collect()
}

/// An expression, whose names come from `names`.
pub fn dump_expression(expression: &Expr, names: &Interner) -> String {
    Dumper { names }.expr(expression)
}

struct Dumper<'a> {
    names: &'a Interner,
}

/// A list of parts, without those that are empty.
fn list<const N: usize>(parts: [String; N]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    format!("({})", parts.join(" "))
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

fn flags<const N: usize>(flags: [(bool, &str); N]) -> String {
    let set: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, text)| *text).collect();
    set.join(" ")
}

impl Dumper<'_> {
    fn name(&self, name: Name) -> String {
        self.names.text(name.symbol).to_owned()
    }

    fn all<T>(&self, nodes: &[T], dump: impl Fn(&Self, &T) -> String) -> String {
        nodes.iter().map(|node| dump(self, node)).collect::<Vec<_>>().join(" ")
    }

    fn maybe<T>(&self, node: &Option<T>, dump: impl Fn(&Self, &T) -> String) -> String {
        node.as_ref().map_or(String::new(), |node| dump(self, node))
    }

    fn item(&self, item: &Item) -> String {
        match item {
            Item::Function(function) => self.function(function),
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Asm(asm) => self.asm(asm),
        }
    }

    fn function(&self, function: &Function) -> String {
        list([
            "function".into(),
            storage(function.specifiers.storage),
            self.attributes(&function.specifiers.attributes),
            self.declarator(&function.specifiers, &function.declarator),
            self.all(&function.old_style_parameters, Self::declaration),
            self.block(&function.body),
        ])
    }

    fn declaration(&self, declaration: &Declaration) -> String {
        let Specifiers { storage: classes, attributes, alignments, .. } = &declaration.specifiers;
        let type_only = declaration.declarators.is_empty();
        list([
            "declare".into(),
            storage(*classes),
            self.attributes(attributes),
            self.all(alignments, Self::alignment),
            if type_only { self.base(&declaration.specifiers) } else { String::new() },
            self.all(&declaration.declarators, |dumper, declared| {
                let value = dumper.maybe(&declared.initializer, Self::initializer);
                let typed = dumper.declarator(&declaration.specifiers, &declared.declarator);
                if value.is_empty() { typed } else { list(["=".into(), typed, value]) }
            }),
        ])
    }

    fn static_assert(&self, assertion: &StaticAssert) -> String {
        let message = self.maybe(&assertion.message, |_, message| quoted(&message.bytes));
        list(["static-assert".into(), self.expr(&assertion.condition), message])
    }

    fn asm(&self, asm: &Asm) -> String {
        let operand = |dumper: &Self, operand: &AsmOperand| {
            let name = dumper.maybe(&operand.name, |dumper, name| dumper.name(*name));
            list([name, quoted(&operand.constraint), dumper.expr(&operand.value)])
        };
        let section = |title: &str, text: String| match text.as_str() {
            "" => text,
            _ => list([title.into(), text]),
        };
        list([
            "asm".into(),
            flags([(asm.is_volatile, "volatile")]),
            quoted(&asm.template),
            section("out", self.all(&asm.outputs, operand)),
            section("in", self.all(&asm.inputs, operand)),
            section("clobber", self.all(&asm.clobbers, |_, clobber| quoted(clobber))),
            section("goto", self.all(&asm.labels, |dumper, label| dumper.name(*label))),
        ])
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        self.all(attributes, |dumper, attribute| {
            let argument = match &attribute.kind {
                AttributeKind::Packed => "packed".into(),
                AttributeKind::Aligned(None) => "aligned".into(),
                AttributeKind::Aligned(Some(bytes)) => list(["aligned".into(), dumper.expr(bytes)]),
                AttributeKind::Noreturn => "noreturn".into(),
                AttributeKind::Unused => "unused".into(),
                AttributeKind::Cleanup(function) => list(["cleanup".into(), dumper.name(*function)]),
                AttributeKind::Constructor => "constructor".into(),
                AttributeKind::Destructor => "destructor".into(),
                AttributeKind::Other => dumper.name(attribute.name),
            };
            format!("@{argument}")
        })
    }

    fn alignment(&self, alignment: &Alignment) -> String {
        let of = match alignment {
            Alignment::Type(type_name) => self.type_name(type_name),
            Alignment::Expr(expression) => self.expr(expression),
        };
        list(["align".into(), of])
    }

    /// A name with its type, or the type alone.
    fn declarator(&self, specifiers: &Specifiers, declarator: &Declarator) -> String {
        let derived = self.derived(specifiers, &declarator.derivations);
        let asm_name = self.maybe(&declarator.asm_name, |_, name| list(["asm".into(), quoted(&name.bytes)]));
        let attributes = self.attributes(&declarator.attributes);
        match declarator.name {
            Some(name) => list([self.name(name), derived, asm_name, attributes]),
            None if attributes.is_empty() => derived,
            None => list([derived, attributes]),
        }
    }

    fn derived(&self, specifiers: &Specifiers, derivations: &[Derivation]) -> String {
        derivations.iter().rev().fold(self.base(specifiers), |inner, derivation| match derivation {
            Derivation::Pointer(qualifiers) => list(["pointer".into(), qualifier_text(*qualifiers), inner]),
            Derivation::Array(array) => {
                let how = flags([(array.is_static, "static"), (array.is_star, "*")]);
                let size = self.maybe(&array.size, |dumper, size| dumper.expr(size));
                list(["array".into(), qualifier_text(array.qualifiers), how, size, inner])
            }
            Derivation::Function(function) => {
                let style = flags([(function.old_style, "old-style"), (function.variadic, "...")]);
                let parameters = self.all(&function.parameters, |dumper, parameter| {
                    dumper.declarator(&parameter.specifiers, &parameter.declarator)
                });
                list(["function-type".into(), format!("({parameters})"), style, inner])
            }
        })
    }

    fn base(&self, specifiers: &Specifiers) -> String {
        let base = match &specifiers.base {
            TypeSpecifier::Implicit => "implicit".into(),
            TypeSpecifier::Basic(basic) => basic.text().into(),
            TypeSpecifier::Typedef(name) => self.name(*name),
            TypeSpecifier::Record(record) => list([
                record.kind.text().into(),
                self.maybe(&record.tag, |dumper, tag| dumper.name(*tag)),
                self.attributes(&record.attributes),
                self.maybe(&record.members, |dumper, members| {
                    format!("{{{}}}", dumper.all(members, Self::member))
                }),
            ]),
            TypeSpecifier::Enum(enumeration) => list([
                "enum".into(),
                self.maybe(&enumeration.tag, |dumper, tag| dumper.name(*tag)),
                self.attributes(&enumeration.attributes),
                self.maybe(&enumeration.underlying, |dumper, of| list([":".into(), dumper.type_name(of)])),
                self.maybe(&enumeration.enumerators, |dumper, enumerators| {
                    format!("{{{}}}", dumper.all(enumerators, Self::enumerator))
                }),
            ]),
            TypeSpecifier::TypeofExpr(operand) => list(["typeof".into(), self.expr(operand)]),
            TypeSpecifier::TypeofType(operand) => list(["typeof-type".into(), self.type_name(operand)]),
            TypeSpecifier::Atomic(operand) => list(["atomic".into(), self.type_name(operand)]),
            TypeSpecifier::Auto => "auto-type".into(),
            TypeSpecifier::VaList => "va-list".into(),
        };
        match qualifier_text(specifiers.qualifiers) {
            none if none.is_empty() => base,
            qualifiers => format!("{qualifiers} {base}"),
        }
    }

    fn member(&self, member: &Member) -> String {
        match member {
            Member::StaticAssert(assertion) => self.static_assert(assertion),
            Member::Fields(fields) if fields.fields.is_empty() => self.base(&fields.specifiers),
            Member::Fields(fields) => self.all(&fields.fields, |dumper, field| {
                let typed = dumper.declarator(&fields.specifiers, &field.declarator);
                match &field.width {
                    Some(width) => list(["bits".into(), typed, dumper.expr(width)]),
                    None => typed,
                }
            }),
        }
    }

    fn enumerator(&self, enumerator: &Enumerator) -> String {
        match &enumerator.value {
            Some(value) => list(["=".into(), self.name(enumerator.name), self.expr(value)]),
            None => self.name(enumerator.name),
        }
    }

    fn type_name(&self, type_name: &TypeName) -> String {
        self.declarator(&type_name.specifiers, &type_name.declarator)
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Expr(expression) => self.expr(expression),
            Initializer::List(items) => self.initializer_list(items),
        }
    }

    fn initializer_list(&self, initializers: &InitializerList) -> String {
        let items = self.all(&initializers.items, |dumper, item| {
            let value = dumper.initializer(&item.value);
            match dumper.designators(&item.designators) {
                none if none.is_empty() => value,
                designators => list(["=".into(), designators, value]),
            }
        });
        format!("{{{items}}}")
    }

    fn designators(&self, designators: &[Designator]) -> String {
        let steps = designators.iter().map(|designator| match designator {
            Designator::Field(name) => format!(".{}", self.name(*name)),
            Designator::Index(index) => format!("[{}]", self.expr(index)),
            Designator::Range(first, last) => format!("[{} ... {}]", self.expr(first), self.expr(last)),
        });
        steps.collect()
    }

    fn block(&self, block: &Block) -> String {
        format!("{{{}}}", self.all(&block.statements, Self::stmt))
    }

    fn stmt(&self, statement: &Stmt) -> String {
        match &statement.kind {
            StmtKind::Empty => ";".into(),
            StmtKind::Expr(expression) => self.expr(expression),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { condition, then, otherwise } => list([
                "if".into(),
                self.expr(condition),
                self.stmt(then),
                self.maybe(otherwise, |dumper, otherwise| dumper.stmt(otherwise)),
            ]),
            StmtKind::While { condition, body } => {
                list(["while".into(), self.expr(condition), self.stmt(body)])
            }
            StmtKind::DoWhile { body, condition } => {
                list(["do".into(), self.stmt(body), self.expr(condition)])
            }
            StmtKind::For { start, condition, step, body } => {
                let part = |text: String| if text.is_empty() { "_".into() } else { text };
                list([
                    "for".into(),
                    part(self.maybe(start, |dumper, start| dumper.stmt(start))),
                    part(self.maybe(condition, Self::expr)),
                    part(self.maybe(step, Self::expr)),
                    self.stmt(body),
                ])
            }
            StmtKind::Switch { value, body } => list(["switch".into(), self.expr(value), self.stmt(body)]),
            StmtKind::Label(name) => format!("{}:", self.name(*name)),
            StmtKind::Case { low, high } => {
                format!("{}:", list(["case".into(), self.expr(low), self.maybe(high, Self::expr)]))
            }
            StmtKind::Default => "default:".into(),
            StmtKind::Goto(name) => list(["goto".into(), self.name(*name)]),
            StmtKind::ComputedGoto(target) => list(["goto*".into(), self.expr(target)]),
            StmtKind::Break => "(break)".into(),
            StmtKind::Continue => "(continue)".into(),
            StmtKind::Return(value) => list(["return".into(), self.maybe(value, Self::expr)]),
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            StmtKind::NestedFunction(function) => list(["nested".into(), self.function(function)]),
            StmtKind::LocalLabels(labels) => {
                list(["labels".into(), self.all(labels, |dumper, label| dumper.name(*label))])
            }
            StmtKind::Atomic(block) => list(["atomic".into(), self.block(block)]),
            StmtKind::Ghost(block) => list(["ghost".into(), self.block(block)]),
        }
    }

    fn expr(&self, expression: &Expr) -> String {
        match &expression.kind {
            ExprKind::Integer(integer) => integer_text(integer),
            ExprKind::Float(spelling) => self.names.text(*spelling).into(),
            ExprKind::Character(character) => format!("{}'{}'", character.encoding.prefix(), character.value),
            ExprKind::String(string) => format!("{}{}", string.encoding.prefix(), quoted(&string.bytes)),
            ExprKind::Name(symbol) => self.names.text(*symbol).into(),
            ExprKind::Unary(op, operand) => {
                let postfix = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
                let operator = if postfix { format!("post{}", op.text()) } else { op.text().into() };
                list([operator, self.expr(operand)])
            }
            ExprKind::Binary(op, left, right) => list([op.text().into(), self.expr(left), self.expr(right)]),
            ExprKind::Assign { op, target, value } => {
                let operator = format!("{}=", op.map_or("", BinaryOp::text));
                list([operator, self.expr(target), self.expr(value)])
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let then = self.maybe(then, |dumper, then| dumper.expr(then));
                list(["?".into(), self.expr(condition), then, self.expr(otherwise)])
            }
            ExprKind::Comma(left, right) => list([",".into(), self.expr(left), self.expr(right)]),
            ExprKind::Call { callee, arguments } => {
                list(["call".into(), self.expr(callee), self.all(arguments, Self::expr)])
            }
            ExprKind::Index { array, index } => list(["index".into(), self.expr(array), self.expr(index)]),
            ExprKind::Member { object, field, arrow } => {
                list([if *arrow { "->" } else { "." }.into(), self.expr(object), self.name(*field)])
            }
            ExprKind::Cast(to, operand) => list(["cast".into(), self.type_name(to), self.expr(operand)]),
            ExprKind::CompoundLiteral(of, values) => {
                list(["literal".into(), self.type_name(of), self.initializer_list(values)])
            }
            ExprKind::SizeofType(of) => list(["sizeof-type".into(), self.type_name(of)]),
            ExprKind::SizeofExpr(of) => list(["sizeof".into(), self.expr(of)]),
            ExprKind::AlignofType(of) => list(["alignof-type".into(), self.type_name(of)]),
            ExprKind::AlignofExpr(of) => list(["alignof".into(), self.expr(of)]),
            ExprKind::Generic { operand, choices } => list([
                "generic".into(),
                self.expr(operand),
                self.all(choices, |dumper, (of, value)| {
                    let of = of.as_ref().map_or("default".into(), |of| dumper.type_name(of));
                    list([of, dumper.expr(value)])
                }),
            ]),
            ExprKind::Statements(block) => list(["statements".into(), self.block(block)]),
            ExprKind::OffsetOf { record, path } => {
                list(["offsetof".into(), self.type_name(record), self.designators(path)])
            }
            ExprKind::VaArg(arguments, of) => {
                list(["va-arg".into(), self.expr(arguments), self.type_name(of)])
            }
            ExprKind::TypesCompatible(left, right) => {
                list(["compatible".into(), self.type_name(left), self.type_name(right)])
            }
            ExprKind::LabelAddress(label) => list(["&&".into(), self.name(*label)]),
        }
    }
}

fn integer_text(integer: &IntegerLiteral) -> String {
    let sign = if integer.unsigned { "u" } else { "" };
    let length = match integer.length {
        IntegerLength::Int => "",
        IntegerLength::Long => "l",
        IntegerLength::LongLong => "ll",
    };
    format!("{}{sign}{length}", integer.value)
}

fn storage(storage: Storage) -> String {
    flags([
        (storage.is_typedef, "typedef"),
        (storage.is_extern, "extern"),
        (storage.is_static, "static"),
        (storage.is_auto, "auto"),
        (storage.is_register, "register"),
        (storage.is_thread_local, "thread-local"),
        (storage.is_inline, "inline"),
        (storage.is_noreturn, "noreturn"),
    ])
}

fn qualifier_text(qualifiers: Qualifiers) -> String {
    flags([
        (qualifiers.is_const, "const"),
        (qualifiers.is_volatile, "volatile"),
        (qualifiers.is_restrict, "restrict"),
        (qualifiers.is_atomic, "_Atomic"),
    ])
}
