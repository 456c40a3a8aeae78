//! Ghost blocks: what a specification remembers, outside of the memory model.

use super::Lowerer;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{Order, Stmt, StmtKind};

impl Lowerer<'_> {
    /// Lets all accesses of a block happen at once.
    pub(super) fn make_ghostly(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            let what = match &mut stmt.kind {
                StmtKind::Load { order, .. } | StmtKind::Store { order, .. } => {
                    *order = Order::Ghost;
                    continue;
                }
                StmtKind::Block { body, .. } | StmtKind::Atomic(body) => {
                    self.make_ghostly(body);
                    continue;
                }
                StmtKind::Call { .. } => "a call",
                StmtKind::Spawn { .. } => "a new thread",
                StmtKind::Fence(_) => "a fence",
                StmtKind::Free { .. } => "`free`",
                StmtKind::Assume { .. } => "an assumption",
                _ => continue,
            };
            let problem = Diagnostic::error(stmt.span, format!("{what} in a ghost block"));
            self.report(
                problem.help("ghost blocks only read and write ghost variables, and make assertions"),
            );
        }
    }
}
