//! Many tests in one process, on all cores: each core takes the next file, reads it, and runs it on each model.

use crate::read::{Litmus, Unread, read};
use crate::run::Found;
use fencepost_harness::budget::Allowance;
use fencepost_harness::verdict::Reason;
use fencepost_models::Model;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// What a file comes to on a model.
pub struct Outcome {
    /// The name of the file.
    pub file: String,
    /// What it comes to.
    pub answer: Answer,
    /// How long it took to read, for the first model, and to run.
    pub time: Duration,
}

/// What a file comes to on a model.
pub enum Answer {
    /// It is no test that is understood.
    Unread(Unread),
    /// It was run.
    Ran {
        /// The test.
        litmus: Arc<Litmus>,
        /// The name of the model.
        model: String,
        /// What was found.
        found: Result<Found, Reason>,
    },
}

/// On what to run.
pub enum Models {
    /// On each of these.
    Named(Vec<Model>),
    /// On the one of the test's architecture, as a function says.
    OfArchitecture(Box<dyn Fn(&Litmus) -> Model + Send + Sync>),
}

/// Stack of a worker.
const STACK: usize = 1 << 26;

/// Runs tests, given by the names and texts of their files, and tells each outcome in the order of files and models.
pub fn run(
    files: &[(String, String)],
    models: &Models,
    jobs: usize,
    allowance: &Allowance,
    tell: &mut dyn FnMut(Outcome),
) -> std::io::Result<()> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.clamp(1, files.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((name, text)) = files.get(index) else { break };
                    if sender.send((index, one(name, text, models, allowance))).is_err() {
                        break;
                    }
                }
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        }
        drop(sender);
        let (mut waiting, mut turn) = (BTreeMap::new(), 0);
        for (index, outcomes) in receiver {
            waiting.insert(index, outcomes);
            while let Some(outcomes) = waiting.remove(&turn) {
                outcomes.into_iter().for_each(&mut *tell);
                turn += 1;
            }
        }
        Ok(())
    })
}

/// What one file comes to on each model.
fn one(file: &str, text: &str, models: &Models, allowance: &Allowance) -> Vec<Outcome> {
    let mut begun = Instant::now();
    let litmus = match read(file, text) {
        Ok(litmus) => Arc::new(litmus),
        Err(unread) => {
            let answer = Answer::Unread(unread);
            return vec![Outcome { file: file.to_owned(), answer, time: begun.elapsed() }];
        }
    };
    let own;
    let models = match models {
        Models::Named(models) => models.as_slice(),
        Models::OfArchitecture(model) => {
            own = [model(&litmus)];
            &own
        }
    };
    let run = |model: &Model| {
        let found = litmus.run(model, &allowance.begin());
        let answer = Answer::Ran { litmus: litmus.clone(), model: model.name.clone(), found };
        let time = begun.elapsed();
        begun = Instant::now();
        Outcome { file: file.to_owned(), answer, time }
    };
    models.iter().map(run).collect()
}
