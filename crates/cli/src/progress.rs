//! The progress line, what a check that takes longer than a second is doing, and how to end it.

use crate::phases;
use fencepost_driver::check::Stage;
use fencepost_harness::engine::Progress as Phase;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What is set once the user interrupts the program. A second interrupt ends it at once.
pub(crate) fn interrupted() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(cancelled)
}

/// A line on the terminal's error stream, if there is one.
pub(crate) struct Line {
    shared: Option<Arc<Mutex<State>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct State {
    what: String,
    phase: Stage,
    done: bool,
}

/// How long to stay silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether there is a terminal, and nothing else is written to it.
fn has_room() -> bool {
    std::io::stderr().is_terminal() && !phases::shown()
}

impl Line {
    /// A line for a check, which says what is checked.
    pub(crate) fn start(what: String, wanted: bool) -> Line {
        if !wanted || !has_room() {
            return Line { shared: None, thread: None };
        }
        let shared = Arc::new(Mutex::new(State { what, phase: Stage::Mining, done: false }));
        let state = shared.clone();
        let thread = std::thread::spawn(move || show(&state));
        Line { shared: Some(shared), thread: Some(thread) }
    }

    /// Says what the check is doing now.
    pub(crate) fn update(&self, phase: Stage) {
        if let Some(shared) = &self.shared
            && let Ok(mut state) = shared.lock()
        {
            state.phase = phase;
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared
            && let Ok(mut state) = shared.lock()
        {
            state.done = true;
        }
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn show(shared: &Mutex<State>) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    loop {
        {
            let Ok(state) = shared.lock() else { return };
            if state.done {
                break;
            }
            if start.elapsed() >= PATIENCE {
                let bar = bar.get_or_insert_with(|| {
                    let style = ProgressStyle::with_template("{spinner} {msg}  {elapsed}");
                    let bar = ProgressBar::new_spinner();
                    if let Ok(style) = style {
                        bar.set_style(style);
                    }
                    bar.with_elapsed(start.elapsed())
                });
                bar.set_message(format!("{}: {}", state.what, describe(state.phase)));
                bar.tick();
            }
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn describe(progress: Stage) -> String {
    match progress {
        Stage::Mining => "running serial executions".into(),
        Stage::Replaying => "replaying".into(),
        Stage::Inferring { tried, corrections, fences } => {
            format!("{tried} placements tried, {corrections} needs known, now {fences} fences")
        }
        Stage::Engine(phase) => match phase {
            Phase::Encoding(round) => format!("encoding, round {round}"),
            Phase::Violation(round) => format!("looking for a violation, round {round}"),
            Phase::Bounds(round) => format!("looking for longer loops, round {round}"),
            Phase::Witness(round) => format!("looking for a complete execution, round {round}"),
            Phase::States(states) => format!("{} states", fencepost_harness::schedule::number(states)),
        },
    }
}

/// The progress of a sweep on the terminal's error stream, if there is one.
pub(crate) struct Bar {
    start: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A line that appears if it takes a while.
    pub(crate) fn start(wanted: bool) -> Bar {
        Bar { start: Instant::now(), wanted: wanted && has_room(), bar: None }
    }

    /// Says how far it is.
    pub(crate) fn update(&mut self, progress: fencepost_driver::sweep::SweepProgress) {
        let elapsed = self.start.elapsed();
        if !self.wanted || elapsed < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let seconds = elapsed.as_secs_f64();
        let left = match progress.fresh {
            0 => "time left unknown".to_owned(),
            // As if all schedules took the same time; the later ones are larger.
            fresh => {
                let left = seconds / fresh as f64 * (progress.total - progress.done) as f64;
                format!("at least {} left", indicatif::HumanDuration(Duration::from_secs_f64(left)))
            }
        };
        bar.set_message(format!(
            "{}/{} schedules, {:.2} M states/s, {left}",
            progress.done,
            progress.total,
            progress.states as f64 / seconds / 1e6
        ));
        bar.tick();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
