//! BLENDER's Table 2: fences inferred on pso for programs that lack some, under FD with k = 0 and 1 and PD with
//! k = 0, 1 and 2.
//!
//! A placement is *optimal* if the program with it is proved and every one of its fences is needed: without it, an
//! execution on real store buffers is wrong. It is *sub-optimal* if it proves the program with fences to spare,
//! and the program is *unfixable* if no fences help as far as the abstraction can tell.
//!
//! Each entry is answered twice: by formulas over all states of the program without fences, as in the paper, and by a
//! search over placements, each of which the same abstraction must prove. The latter ends where the states of the
//! former are too many.

use super::Results;
use crate::BenchArgs;
use anyhow::{Result, bail};
use fencepost_explore::abstraction::{Abstraction, Approach, verify};
use fencepost_explore::{Buffering, Options};
use fencepost_fences::guided::{self, Effort, Searched};
use fencepost_fences::proved::Proved;
use fencepost_fences::store_buffers::{fenced, fewest, infer};
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::Finding;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{ProcId, SlotId};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// What the paper found: a word, and thousands of states; none if memory ran out.
type Paper = Option<(&'static str, f64)>;

const ABSTRACTIONS: [&str; 5] = ["fd:0", "fd:1", "pd:0", "pd:1", "pd:2"];

/// Memory for the states of one entry.
const MEMORY: u64 = 6 << 30;

const fn optimal(thousands: f64) -> Paper {
    Some(("optimal", thousands))
}

const fn more(thousands: f64) -> Paper {
    Some(("sub-optimal", thousands))
}

const fn unfixable(thousands: f64) -> Paper {
    Some(("unfixable", thousands))
}

/// Names, files, macros, and what the paper found.
#[rustfmt::skip]
pub(crate) const TABLE_2: [(&str, &str, &str, [Paper; 5]); 9] = [
    ("Sense0", "sense-barrier", "-DUNFENCED",
        [more(57.6), optimal(58.6), more(31.9), optimal(44.3), optimal(6.1)]),
    ("Pet0", "peterson", "-DUNFENCED",
        [optimal(69.2), optimal(524.5), more(25.3), more(244.7), optimal(1124.2)]),
    ("Dek0", "dekker", "-DUNFENCED",
        [optimal(424.2), optimal(3238.1), more(16.5), more(358.1), optimal(2350.0)]),
    ("Lam0", "bakery", "-DUNFENCED", [None, None, more(421.0), more(4045.9), None]),
    ("Fast0", "fast-mutex", "-DUNFENCED", [None, None, unfixable(220.6), None, None]),
    ("Fast1a", "fast-mutex", "-DONLY_FENCE=1",
        [unfixable(139.0), optimal(105.2), unfixable(33.0), optimal(88.1), optimal(41.9)]),
    ("Fast1b", "fast-mutex", "-DONLY_FENCE=2",
        [more(832.9), optimal(972.3), unfixable(78.6), more(501.6), optimal(878.4)]),
    ("Fast1c", "fast-mutex", "-DONLY_FENCE=3", [None, None, unfixable(110.4), more(1173.4), more(1858.1)]),
    ("CLH0", "clh", "-DUNFENCED", [None, None, None, None, None]),
];

/// Adds the table to the results.
pub(crate) fn run(args: &BenchArgs, results: &mut Results) -> Result<()> {
    results.say("");
    results.say("Table 2: full fences inferred on pso.");
    results.say(&format!(
        "{:<8} {:<5} {:<12} {:>6} {:>8} {:>9}   {:<12} {:>6} {:>8}   {}",
        "program",
        "",
        "by formulas",
        "fences",
        "seconds",
        "states",
        "by search",
        "fences",
        "seconds",
        "paper"
    ));
    for (name, file, define, paper) in TABLE_2 {
        let path = args.corpus.join("blender").join(format!("{file}.c"));
        let harness = load(&path, define)?;
        for (abstraction, paper) in ABSTRACTIONS.into_iter().zip(paper) {
            if args.quick && paper.is_none_or(|(_, thousands)| thousands > 100.0) {
                continue;
            }
            let options = options(abstraction, args);
            let formulas = entry(&harness, &options, by_formulas);
            let searched = entry(&harness, &self::options(abstraction, args), by_search);
            let paper = paper.map_or("memory".into(), |(word, thousands)| format!("{word} {thousands} k"));
            results.say(&format!(
                "{name:<8} {abstraction:<5} {:<12} {:>6} {:>8.2} {:>9}   {:<12} {:>6} {:>8.2}   {paper}",
                formulas.word,
                formulas.count(),
                formulas.seconds,
                formulas.states.map_or("–".into(), |states| states.to_string()),
                searched.word,
                searched.count(),
                searched.seconds,
            ));
            results.values.push(json!({
                "table": 2,
                "program": name,
                "abstraction": abstraction,
                "formulas": formulas.value(),
                "search": searched.value(),
                "paper": paper,
            }));
        }
    }
    Ok(())
}

fn load(path: &Path, define: &str) -> Result<Harness> {
    match fencepost_c::load_with(path, &[define.to_owned()], fencepost_c::Options { slots: true }) {
        Ok((harness, _)) => Ok(harness),
        Err(_) => bail!("{} cannot be read", path.display()),
    }
}

fn options(abstraction: &str, args: &BenchArgs) -> Options {
    let deadline = Some(Instant::now() + args.timeout);
    let budget = Budget { deadline, memory: Some(MEMORY), ..Budget::default() };
    let abstraction = Abstraction::named(abstraction).expect("the table names abstractions that there are");
    Options { buffering: Buffering::Pso, abstraction, budget, ..Options::default() }
}

struct Entry {
    word: String,
    fences: Option<usize>,
    states: Option<u64>,
    seconds: f64,
}

impl Entry {
    fn count(&self) -> String {
        self.fences.map_or("–".into(), |fences| fences.to_string())
    }

    fn value(&self) -> Value {
        let Entry { word, fences, states, seconds } = self;
        json!({ "result": word, "fences": fences, "states": states, "seconds": seconds })
    }
}

/// A placement, if one proves the program, and how many states were visited, if that is known.
type Answer = Result<(Option<Vec<SlotId>>, Option<u64>), Reason>;

fn entry(harness: &Harness, options: &Options, method: fn(&Harness, ProcId, &Options) -> Answer) -> Entry {
    let start = Instant::now();
    let answer = match harness.main {
        Some(main) => method(harness, main, options),
        None => Err(Reason::Unsupported("a program without main".into())),
    };
    let seconds = start.elapsed().as_secs_f64();
    match answer {
        Err(Reason::Timeout) => Entry { word: "time".into(), fences: None, states: None, seconds },
        Err(Reason::Memory) => Entry { word: "memory".into(), fences: None, states: None, seconds },
        Err(reason) => Entry { word: reason.to_string(), fences: None, states: None, seconds },
        Ok((None, states)) => Entry { word: "unfixable".into(), fences: None, states, seconds },
        Ok((Some(fences), states)) => {
            let word = quality(harness, &fences, options).to_owned();
            Entry { word, fences: Some(fences.len()), states, seconds }
        }
    }
}

fn by_formulas(harness: &Harness, main: ProcId, options: &Options) -> Answer {
    let found = infer(harness, &Question::Main(main), options, 1, &fewest(&harness.program), &|_| {})?;
    Ok((found.cheapest, Some(found.statistics.states)))
}

fn by_search(harness: &Harness, main: ProcId, options: &Options) -> Answer {
    let full = [FenceKind::Full];
    let approach = Approach::Fixed(options.abstraction);
    let mut question = [Proved::new(harness, main, options, approach, &full)];
    let costs = vec![vec![1]; harness.program.slots.len()];
    let budget = &options.budget;
    let search = guided::Options { kinds: &full, costs: &costs, limit: 1, budget, progress: &|_| {} };
    match guided::infer(&mut question, &search, &mut Effort::default()).map_err(|(_, reason)| reason)? {
        Searched::Hopeless { .. } => Ok((None, None)),
        Searched::Placements { found, .. } => {
            let first = found.into_iter().next().map(|found| found.placement).unwrap_or_default();
            Ok((Some(first.into_iter().map(|switch| switch.slot).collect()), None))
        }
    }
}

/// Whether a placement is enough, and whether all of it is needed.
fn quality(harness: &Harness, placement: &[SlotId], options: &Options) -> &'static str {
    let Some(main) = harness.main else { return "no program" };
    // That it took long to find says nothing of what was found.
    let options = &Options { budget: Budget::default(), ..options.clone() };
    let verdict = |placement: &[SlotId]| {
        let harness = Harness { program: fenced(&harness.program, placement), ..harness.clone() };
        verify(&harness, &Question::Main(main), options, Approach::Refine, &|_| {}).finding
    };
    if verdict(placement) != Finding::Holds {
        return "wrong";
    }
    let needed = |at: usize| {
        let without: Vec<SlotId> =
            placement.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, s)| *s).collect();
        matches!(verdict(&without), Finding::Violated { .. })
    };
    if (0..placement.len()).all(needed) { "optimal" } else { "sub-optimal" }
}
