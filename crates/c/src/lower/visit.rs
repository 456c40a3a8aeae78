//! Looking through statements and expressions before they are lowered: whose address is taken, which
//! labels are jumped to, which names are used.

use super::init::Init;
use crate::ast::{
    Block, Expr, ExprKind, Initializer, InitializerList, Interner, Stmt, StmtKind, Symbol, UnaryOp,
};
use rustc_hash::FxHashSet;

/// Something that is evaluated as part of something else.
#[derive(Clone, Copy)]
enum Node<'u> {
    Stmt(&'u Stmt),
    Expr(&'u Expr),
}

/// Calls `f` on a node and, where it says so, on all that is evaluated in it. Operands of `sizeof` and
/// `typeof` are not.
fn visit<'u>(node: Node<'u>, f: &mut dyn FnMut(Node<'u>) -> bool) {
    if !f(node) {
        return;
    }
    match node {
        Node::Stmt(stmt) => visit_stmt(stmt, f),
        Node::Expr(expr) => visit_expr(expr, f),
    }
}

fn visit_block<'u>(block: &'u Block, f: &mut dyn FnMut(Node<'u>) -> bool) {
    block.statements.iter().for_each(|stmt| visit(Node::Stmt(stmt), f));
}

fn visit_stmt<'u>(stmt: &'u Stmt, f: &mut dyn FnMut(Node<'u>) -> bool) {
    match &stmt.kind {
        StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) | StmtKind::ComputedGoto(expr) => {
            visit(Node::Expr(expr), f);
        }
        StmtKind::Declaration(declaration) => {
            for value in declaration.declarators.iter().filter_map(|d| d.initializer.as_ref()) {
                visit_initializer(value, f);
            }
        }
        StmtKind::Block(block) | StmtKind::Atomic(block) | StmtKind::Ghost(block) => visit_block(block, f),
        StmtKind::If { condition, then, otherwise } => {
            visit(Node::Expr(condition), f);
            visit(Node::Stmt(then), f);
            otherwise.iter().for_each(|stmt| visit(Node::Stmt(stmt), f));
        }
        StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
            visit(Node::Expr(condition), f);
            visit(Node::Stmt(body), f);
        }
        StmtKind::For { start, condition, step, body } => {
            start.iter().for_each(|stmt| visit(Node::Stmt(stmt), f));
            condition.iter().chain(step).for_each(|expr| visit(Node::Expr(expr), f));
            visit(Node::Stmt(body), f);
        }
        StmtKind::Switch { value, body } => {
            visit(Node::Expr(value), f);
            visit(Node::Stmt(body), f);
        }
        StmtKind::Asm(asm) => {
            asm.outputs.iter().chain(&asm.inputs).for_each(|operand| visit(Node::Expr(&operand.value), f));
        }
        // A nested function is refused as a whole.
        StmtKind::NestedFunction(_)
        | StmtKind::Empty
        | StmtKind::Label(_)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None)
        | StmtKind::StaticAssert(_)
        | StmtKind::LocalLabels(_) => {}
    }
}

fn visit_expr<'u>(expr: &'u Expr, f: &mut dyn FnMut(Node<'u>) -> bool) {
    let mut go = |inner: &'u Expr| visit(Node::Expr(inner), f);
    match &expr.kind {
        ExprKind::Unary(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Member { object: a, .. }
        | ExprKind::VaArg(a, _) => go(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign { target: a, value: b, .. }
        | ExprKind::Index { array: a, index: b } => {
            go(a);
            go(b);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            go(condition);
            then.iter().for_each(|then| go(then));
            go(otherwise);
        }
        ExprKind::Call { callee, arguments } => {
            go(callee);
            arguments.iter().for_each(go);
        }
        ExprKind::Generic { choices, .. } => choices.iter().for_each(|(_, value)| go(value)),
        ExprKind::CompoundLiteral(_, list) => visit_list(list, f),
        ExprKind::Statements(block) => visit_block(block, f),
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Character(_)
        | ExprKind::String(_)
        | ExprKind::Name(_)
        | ExprKind::SizeofType(_)
        | ExprKind::SizeofExpr(_)
        | ExprKind::AlignofType(_)
        | ExprKind::AlignofExpr(_)
        | ExprKind::OffsetOf { .. }
        | ExprKind::TypesCompatible(..)
        | ExprKind::LabelAddress(_) => {}
    }
}

fn visit_initializer<'u>(value: &'u Initializer, f: &mut dyn FnMut(Node<'u>) -> bool) {
    match value {
        Initializer::Expr(expr) => visit(Node::Expr(expr), f),
        Initializer::List(list) => visit_list(list, f),
    }
}

fn visit_list<'u>(list: &'u InitializerList, f: &mut dyn FnMut(Node<'u>) -> bool) {
    list.items.iter().for_each(|item| visit_initializer(&item.value, f));
}

/// Whether a statement contains a `goto` to a label, perhaps in the statement expression of a macro.
pub(super) fn jumps_to(stmt: &Stmt, label: Symbol) -> bool {
    let mut found = false;
    visit(Node::Stmt(stmt), &mut |node| {
        found |= matches!(node, Node::Stmt(Stmt { kind: StmtKind::Goto(name), .. }) if name.symbol == label);
        !found
    });
    found
}

/// The labels of a function.
pub(super) fn label_names(body: &Block) -> FxHashSet<Symbol> {
    let mut labels = FxHashSet::default();
    visit_block(body, &mut |node| {
        if let Node::Stmt(Stmt { kind: StmtKind::Label(name), .. }) = node {
            labels.insert(name.symbol);
        }
        true
    });
    labels
}

/// The names whose address is taken in a function.
pub(super) fn addressed_names(body: &Block, names: &Interner) -> FxHashSet<Symbol> {
    let mut addressed = FxHashSet::default();
    // The expected value of a compare-exchange is handed over by address, but stays a variable.
    let mut handed_over: FxHashSet<*const Expr> = FxHashSet::default();
    visit_block(body, &mut |node| {
        let Node::Expr(expr) = node else { return true };
        match &expr.kind {
            ExprKind::Call { callee, arguments } => {
                if let ExprKind::Name(symbol) = callee.kind
                    && names.text(symbol).starts_with("__atomic_compare_exchange")
                    && let Some(expected) = arguments.get(1)
                {
                    handed_over.insert(expected);
                }
            }
            ExprKind::Unary(UnaryOp::AddressOf, operand)
                if !handed_over.contains(&std::ptr::from_ref(expr)) =>
            {
                base_names(operand, &mut addressed);
            }
            _ => {}
        }
        true
    });
    addressed
}

/// Adds the variables of which a place is a part. Elements of arrays do not count: what holds an array
/// never lives in a register.
fn base_names(place: &Expr, names: &mut FxHashSet<Symbol>) {
    match &place.kind {
        ExprKind::Name(symbol) => _ = names.insert(*symbol),
        ExprKind::Member { object, arrow: false, .. } => base_names(object, names),
        ExprKind::Generic { choices, .. } => choices.iter().for_each(|(_, value)| base_names(value, names)),
        _ => {}
    }
}

/// The names that a function mentions, and whether it calls anything that `is_function` does not know.
pub(super) fn mentioned(body: &Block, is_function: &dyn Fn(Symbol) -> bool) -> (FxHashSet<Symbol>, bool) {
    let mut names = FxHashSet::default();
    let mut indirect = false;
    visit_block(body, &mut |node| {
        match node {
            Node::Expr(Expr { kind: ExprKind::Name(symbol), .. }) => _ = names.insert(*symbol),
            Node::Expr(Expr { kind: ExprKind::Call { callee, .. }, .. }) => {
                indirect |= !matches!(callee.kind, ExprKind::Name(symbol) if is_function(symbol));
            }
            _ => {}
        }
        true
    });
    (names, indirect)
}

/// Whether an initialiser mentions a name.
pub(super) fn mentions(value: Init, name: Symbol) -> bool {
    let mut found = false;
    let mut look = |node: Node| {
        found |= matches!(node, Node::Expr(Expr { kind: ExprKind::Name(symbol), .. }) if *symbol == name);
        !found
    };
    match value {
        Init::Expr(expr) => visit(Node::Expr(expr), &mut look),
        Init::List(list) => visit_list(list, &mut look),
    }
    found
}
