//! From steps to statements: jumps become ways out of blocks, pairs of exclusive accesses atomic blocks.
//!
//! All jumps lead forward, so a label is the end of a block that begins with the thread. A load-exclusive and the
//! store-exclusive behind it are one atomic block if that succeeds; whether it does is chosen ahead of both. Branches in between
//! leave before the store, and so belong to the way on which it does not happen: where it does, they are not taken.

use super::{Code, Step};
use crate::build::{Access, assign, block, go, leave, number};
use crate::read::Thread;
use crate::text::Result;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Label, Operand, Stmt, StmtKind};
use fencepost_lsl::source::Span;
use std::collections::HashMap;

impl Code<'_> {
    /// The procedure of the thread.
    pub(super) fn thread(mut self, span: Span) -> Result<Thread> {
        let steps = std::mem::take(&mut self.steps);
        let mut labels: HashMap<String, (usize, Label)> = HashMap::new();
        for (at, (step, span)) in steps.iter().enumerate() {
            if let Step::Label(name) = step
                && labels.insert(name.clone(), (at, self.builder.label())).is_some()
            {
                return Err(Diagnostic::error(*span, format!("the label `{name}` is there twice")));
            }
        }
        forward(&steps, &labels)?;
        let mut body = Vec::new();
        let mut at = 0;
        while let Some((step, span)) = steps.get(at) {
            let span = *span;
            if let Step::Label(name) = step {
                body = vec![block(labels[name].1, body, span)];
            } else if let Some(end) = pair(&steps, at)? {
                self.exclusive(&mut body, &steps[at..=end], &labels);
                at = end;
            } else if let Step::StoreExclusive { .. } = step {
                return Err(Diagnostic::error(span, "no load-exclusive belongs to this store-exclusive"));
            } else {
                self.step(&mut body, step, span, &labels);
            }
            at += 1;
        }
        let Code { builder, registers, .. } = self;
        Ok(Thread { builder, registers, body, span })
    }

    fn step(
        &mut self,
        out: &mut Vec<Stmt>,
        step: &Step,
        span: Span,
        labels: &HashMap<String, (usize, Label)>,
    ) {
        match step {
            Step::Assign { dst, op, args } => out.push(assign(*dst, *op, args, span)),
            &Step::Load { dst, addr, ty, order, .. } => {
                self.builder.load(out, Access { addr, ty, order, span }, dst);
            }
            &Step::Store { addr, value, ty, order }
            | &Step::StoreExclusive { addr, value, ty, order, .. } => {
                self.builder.store(out, Access { addr, ty, order, span }, value);
            }
            Step::Modify { dst, modify } => {
                let old = self.builder.modify(out, *modify, span);
                out.extend(dst.map(|dst| assign(dst, PrimOp::Copy, &[old.into()], span)));
            }
            Step::Fence(fence) => out.push(Stmt { kind: StmtKind::Fence(*fence), span }),
            Step::Branch { label, when } => {
                let label = labels[label].1;
                out.push(when.map_or_else(|| go(label, span), |when| leave(label, when, false, span)));
            }
            Step::Label(_) => {}
        }
    }

    /// A load-exclusive, what stands behind it, and the store-exclusive.
    fn exclusive(
        &mut self,
        out: &mut Vec<Stmt>,
        steps: &[(Step, Span)],
        labels: &HashMap<String, (usize, Label)>,
    ) {
        let (Some((Step::StoreExclusive { failed, .. }, span)), (_, first)) = (steps.last(), &steps[0])
        else {
            return;
        };
        let (failed, span) = (*failed, *span);
        let fails = self.builder.choose(out, *first);
        let mut success = Vec::new();
        for (step, span) in steps {
            match step {
                Step::Branch { when: Some(when), .. } => {
                    let stays = self.builder.temporary();
                    success.push(assign(stays, PrimOp::Not, &[*when], *span));
                    success.push(Stmt { kind: StmtKind::Assume { cond: stays.into() }, span: *span });
                }
                step => self.step(&mut success, step, *span, labels),
            }
        }
        let (either, way) = (self.builder.label(), self.builder.label());
        let mut yes = vec![leave(way, fails.into(), false, *first)];
        yes.push(Stmt { kind: StmtKind::Atomic(success), span: *first });
        yes.push(assign(failed, PrimOp::Copy, &[number(0)], span));
        yes.push(go(either, span));
        let mut both = vec![block(way, yes, *first)];
        for (step, span) in &steps[..steps.len() - 1] {
            self.step(&mut both, step, *span, labels);
        }
        both.push(assign(failed, PrimOp::Copy, &[number(1)], span));
        out.push(block(either, both, *first));
    }
}

/// An error if a jump leads back, or nowhere.
fn forward(steps: &[(Step, Span)], labels: &HashMap<String, (usize, Label)>) -> Result<()> {
    for (at, (step, span)) in steps.iter().enumerate() {
        let Step::Branch { label, .. } = step else { continue };
        match labels.get(label) {
            None => return Err(Diagnostic::error(*span, format!("the thread has no label `{label}`"))),
            Some((target, _)) if *target < at => {
                return Err(Diagnostic::error(*span, "this branch leads back, and loops are not understood")
                    .help("write the turns of the loop one after the other"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Where the store-exclusive is that belongs to a load-exclusive, if this is one that has any.
fn pair(steps: &[(Step, Span)], at: usize) -> Result<Option<usize>> {
    let (Step::Load { dst: loaded, addr, exclusive: true, .. }, first) = &steps[at] else { return Ok(None) };
    let is_exclusive =
        |step: &Step| matches!(step, Step::Load { exclusive: true, .. } | Step::StoreExclusive { .. });
    let next = steps[at + 1..].iter().position(|(step, _)| is_exclusive(step)).map(|next| at + 1 + next);
    let Some(end) = next.filter(|&next| matches!(steps[next].0, Step::StoreExclusive { .. })) else {
        return Ok(None);
    };
    let Step::StoreExclusive { addr: other, .. } = &steps[end].0 else { return Ok(None) };
    for (step, span) in &steps[at + 1..end] {
        let what = match step {
            Step::Assign { dst, .. } if Operand::Reg(*dst) != *addr => continue,
            Step::Assign { .. } => "a change of the address",
            Step::Branch { when: Some(_), label }
                if !steps[..end].iter().any(|(step, _)| is_label(step, label)) =>
            {
                continue;
            }
            Step::Fence(_) => "a fence",
            Step::Label(_) | Step::Branch { .. } => "a branch or label that is not on the way out",
            _ => "an access to memory",
        };
        let message = format!("{what} between a load-exclusive and its store-exclusive is not understood");
        return Err(Diagnostic::error(*span, message).related(*first, "the load-exclusive"));
    }
    if addr != other || *addr == Operand::Reg(*loaded) {
        let message = "the address of this store-exclusive is not that of its load-exclusive";
        return Err(Diagnostic::error(steps[end].1, message).related(*first, "the load-exclusive"));
    }
    Ok(Some(end))
}

fn is_label(step: &Step, name: &str) -> bool {
    matches!(step, Step::Label(label) if label == name)
}
