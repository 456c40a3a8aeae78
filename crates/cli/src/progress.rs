//! The progress line: what a check that takes longer than a second is doing.

use fencepost::run::Progress;
use fencepost_bounded::check::Phase;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A line on the terminal's error stream, if there is one.
pub(crate) struct Line {
    shared: Option<Arc<Mutex<State>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct State {
    what: String,
    phase: Progress,
    done: bool,
}

/// How long to stay silent.
const PATIENCE: Duration = Duration::from_secs(1);

impl Line {
    /// A line for a check, which says what is checked.
    pub(crate) fn start(what: String, wanted: bool) -> Line {
        if !wanted || !std::io::stderr().is_terminal() {
            return Line { shared: None, thread: None };
        }
        let shared = Arc::new(Mutex::new(State { what, phase: Progress::Mining, done: false }));
        let state = shared.clone();
        let thread = std::thread::spawn(move || show(&state));
        Line { shared: Some(shared), thread: Some(thread) }
    }

    /// Says what the check is doing now.
    pub(crate) fn update(&self, phase: Progress) {
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

fn describe(progress: Progress) -> String {
    match progress {
        Progress::Mining => "running serial executions".into(),
        Progress::Replaying => "replaying".into(),
        Progress::Engine(phase, round) => {
            let what = match phase {
                Phase::Encoding => "encoding",
                Phase::Violation => "looking for a violation",
                Phase::Bounds => "looking for longer loops",
                Phase::Witness => "looking for a complete execution",
            };
            format!("{what}, round {round}")
        }
    }
}
