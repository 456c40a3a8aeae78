//! What a sweep is of, for its log and for reports.

use super::Sweep;
use super::log::{Shard, VERSION, show_shard};
use fencepost_explore::{Buffering, Termination};
use fencepost_harness::consistency::{Property, Waiting};
use fencepost_harness::sweep::Head;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::RangeInclusive;

impl Sweep {
    /// What is swept. `schedules` is how many there are, if that is known.
    pub fn head(&self, file: &str, shard: Shard, schedules: Option<u64>) -> Head {
        let (scope, options) = (&self.scope, &self.options);
        let range = |range: &RangeInclusive<usize>| [*range.start(), *range.end()];
        Head {
            log: VERSION,
            fencepost: env!("CARGO_PKG_VERSION").into(),
            sweep: file.into(),
            scope: self.covers(),
            shard: show_shard(shard),
            program: self.fingerprint(),
            oracle: self.oracle().into(),
            protocol: self.protocol.name(),
            operations: self.harness.ops.iter().map(|op| op.name.clone()).collect(),
            not_called: self.not_called.clone(),
            property: self.property().into(),
            stuck_threads: self.waiting.name().into(),
            model: self.model.name.clone(),
            threads: range(&scope.threads),
            steps: range(&scope.steps),
            preadds: range(&scope.pre_adds),
            values: scope.values,
            generic_values: scope.generic_values,
            distinct_priorities: scope.distinct_priorities,
            adds_dominate: scope.adds_dominate,
            thread_symmetry: scope.thread_symmetry,
            preemptions: options.preemptions,
            leaks: options.leaks,
            reuse: options.reuse,
            endless: format!("{:?}", options.termination).to_lowercase(),
            schedules,
        }
    }

    /// The program counts by its text.
    fn fingerprint(&self) -> String {
        let mut hasher = FxHasher::default();
        hasher.write(self.harness.program.to_string().as_bytes());
        if let Some(reference) = &self.reference {
            hasher.write(reference.program().to_string().as_bytes());
        }
        format!("{:016x}", hasher.finish())
    }

    /// What it covers, in a line.
    pub fn covers(&self) -> String {
        self.scope.show(&self.manner())
    }

    /// How each schedule is explored, as far as it can miss something or finds more than usual.
    fn manner(&self) -> Vec<String> {
        let options = &self.options;
        let mut parts = Vec::new();
        if let Some(bound) = options.preemptions {
            parts.push(format!("at most {bound} preemptions"));
        }
        let notes = [
            (options.termination == Termination::Ignore, "endless executions not looked for"),
            (options.leaks, "leaks looked for"),
            (options.reuse, "freed memory used again"),
        ];
        // When a call returns is a question only where stores can be late, and only to who looks at the time.
        if self.fenced {
            parts.push("a fence after each call".into());
        } else if options.buffering != Buffering::Sc && self.property != Property::Sequential {
            parts.push("calls return when their code is done, even before their stores reach memory".into());
        }
        if self.waiting == Waiting::Each {
            parts.push("stuck threads justified one by one".into());
        }
        if !self.not_called.is_empty() {
            parts.push(format!("not called: {}", self.not_called.join(", ")));
        }
        parts.extend(notes.iter().filter(|(wanted, _)| *wanted).map(|(_, what)| (*what).to_owned()));
        parts
    }
}
