//! COLLECT's study: the rows of Table 2, each on configurations A to E.
//!
//! The paper's times are those of a 16-core Xeon W-2145 with 256 GB; ours of one core. In configuration C the
//! hash function is any from three values to two.

use super::{Measured, Results, measure};
use crate::BenchArgs;
use anyhow::Result;
use serde_json::json;

/// What the paper found: seconds, and whether that is the time to a violation.
#[derive(Clone, Copy)]
enum Paper {
    /// Verified in this time.
    Holds(u32),
    /// Refuted in this time.
    Violated(u32),
    /// Without end.
    Endless,
    /// Not tried.
    Nothing,
}

use Paper::{Endless as E, Holds as H, Nothing as N, Violated as V};

impl Paper {
    fn show(self) -> String {
        match self {
            Paper::Holds(seconds) => format!("holds {seconds}"),
            Paper::Violated(seconds) => format!("violated {seconds}"),
            Paper::Endless => "endless".into(),
            Paper::Nothing => "–".into(),
        }
    }

    /// Whether a verdict of ours is another answer.
    fn differs(self, verdict: &str) -> bool {
        matches!((self, verdict), (Paper::Holds(_), "violated") | (Paper::Violated(_), "holds"))
    }
}

/// A row of Table 2.
struct Row {
    name: &'static str,
    file: &'static str,
    property: &'static str,
    /// For configurations A to E.
    paper: [Paper; 5],
}

const fn row(name: &'static str, file: &'static str, property: &'static str, paper: [Paper; 5]) -> Row {
    Row { name, file, property, paper }
}

const CONFIGURATIONS: [&str; 5] = ["A", "B", "C", "D", "E"];

#[rustfmt::skip]
const TABLE_2: [Row; 28] = [
    row("CoarseList", "coarse-list", "linear", [H(17), H(47), N, H(1613), N]),
    row("FineList", "fine-list", "linear", [H(17), H(47), N, H(1766), N]),
    row("OptimisticList", "optimistic-list", "linear", [H(18), H(49), N, H(2136), N]),
    row("LazyList", "lazy-list", "linear", [H(17), H(49), N, H(1988), N]),
    row("LockFreeList", "lock-free-list", "linear", [H(18), H(51), N, H(1856), N]),
    row("LockFreeListOriginal", "lock-free-list-first-edition", "linear", [H(18), V(48), N, V(486), N]),
    row("BoundedQueue", "bounded-queue", "linear", [H(8), H(10), N, H(115), H(123)]),
    row("UnboundedQueue", "unbounded-queue", "linear", [H(6), H(9), N, H(32), H(157)]),
    row("LockFreeQueue", "lock-free-queue", "linear", [H(6), H(9), N, H(61), H(171)]),
    row("SynchronousQueue", "synchronous-queue", "linear", [H(6), H(11), N, H(44), H(246)]),
    row("SynchronousDualQueue", "synchronous-dual-queue", "linear", [H(8), H(14), N, V(116), H(182)]),
    row("SynchronousDualQueuePatched", "synchronous-dual-queue-patched", "linear",
        [H(8), H(14), N, H(1450), H(187)]),
    row("CoarseHashSet", "coarse-hash-set", "linear", [H(19), H(50), H(55), H(1572), N]),
    row("StripedHashSet", "striped-hash-set", "linear", [H(19), H(52), H(59), H(1732), N]),
    row("RefinableHashSet", "refinable-hash-set", "linear", [H(21), V(50), V(54), V(572), N]),
    row("RefinableHashSet, patched", "refinable-hash-set-patched", "linear", [N, N, N, N, N]),
    row("LockFreeHashSet", "lock-free-hash-set", "linear", [H(21), V(52), V(8), V(547), N]),
    row("LockFreeHashSetPatched", "lock-free-hash-set-patched", "linear", [H(19), H(56), V(8), V(1054), N]),
    row("StripedCuckooHashSet", "striped-cuckoo-hash-set", "linear", [H(20), H(53), E, V(896), N]),
    row("RefinableCuckooHashSet", "refinable-cuckoo-hash-set", "linear", [H(22), H(59), E, V(1093), N]),
    row("RefinableCuckooHashSet, patched", "refinable-cuckoo-hash-set-patched", "linear", [N, N, N, N, N]),
    row("SimpleLinear", "simple-linear", "quiescent", [H(6), H(10), N, H(39), H(447)]),
    row("SimpleTree", "simple-tree", "quiescent", [H(6), H(12), N, V(44), V(204)]),
    row("FineGrainedHeap", "fine-grained-heap", "linear", [V(6), V(11), N, V(22), V(27)]),
    row("FineGrainedHeapFair", "fine-grained-heap-fair", "linear", [H(7), V(11), N, V(24), V(27)]),
    row("SkipQueueOriginal", "skip-queue-first-edition", "sc", [H(9), H(26), N, V(228), V(254)]),
    row("SkipQueueQC", "skip-queue", "quiescent", [H(10), H(26), N, H(263), H(8582)]),
    row("SkipQueueSC", "skip-queue", "sc", [H(9), H(23), N, H(178), V(2730)]),
];

impl Row {
    /// Whether the study, or we, run a configuration.
    fn wants(&self, configuration: usize) -> bool {
        let ours = matches!(self.paper, [N, N, N, N, N]) && matches!(configuration, 0 | 1 | 3);
        ours || !matches!(self.paper[configuration], N)
    }

    /// Macros for a configuration: the range of scores is that of the study.
    fn defines(&self, configuration: usize) -> Vec<String> {
        match self.file {
            "simple-linear" => vec![format!("-DRANGE={}", [2, 3, 3, 4, 5][configuration])],
            "simple-tree" => vec![format!("-DLOG_RANGE={}", [1, 2, 2, 2, 3][configuration])],
            _ => Vec::new(),
        }
    }
}

pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let mut results = Results::new(args);
    results.say(
        "Table 2: every schedule of a configuration. The paper's seconds are those of 16 cores, ours of one.",
    );
    results.say("Violations end a sweep. E has at most two preemptions.\n");
    results.say(&format!(
        "{:<32} {:<2} | {:<12} {:>9} {:>12} {:>10} {:>9} | paper",
        "collection", "", "verdict", "schedules", "states", "states/s", "seconds"
    ));
    for row in &TABLE_2 {
        for (configuration, name) in CONFIGURATIONS.iter().enumerate() {
            let small = configuration < 2;
            if row.wants(configuration) && (small || !args.quick) {
                sweep(args, row, configuration, name, &mut results)?;
            }
        }
    }
    results.write(args, "collect")?;
    Ok(())
}

/// Runs a row on a configuration.
fn sweep(args: &BenchArgs, row: &Row, configuration: usize, name: &str, results: &mut Results) -> Result<()> {
    let defines = row.defines(configuration);
    let figures = Figures::of(&run_sweep(args, row, name, &defines)?);
    let paper = row.paper[configuration];
    let note = if paper.differs(&figures.verdict) { "  differs" } else { "" };
    results.say(&format!(
        "{:<32} {name:<2} | {:<12} {:>9} {:>12} {:>10.0} {:>9.2} | {}{note}",
        row.name,
        figures.verdict,
        figures.schedules,
        figures.states,
        figures.states as f64 / figures.seconds.max(1e-6),
        figures.seconds,
        paper.show()
    ));
    if !figures.violation.is_empty() {
        results.say(&format!("{:<35} |   {}", "", figures.violation));
    }
    results.values.push(json!({
        "row": row.name,
        "configuration": name,
        "property": row.property,
        "verdict": figures.verdict,
        "violation": figures.violation,
        "explored": figures.schedules,
        "states": figures.states,
        "wall_seconds": figures.seconds,
        "peak_memory_bytes": figures.memory,
        "paper": paper.show(),
    }));
    Ok(())
}

fn run_sweep(args: &BenchArgs, row: &Row, configuration: &str, defines: &[String]) -> Result<Measured> {
    let file = args.corpus.join("amp").join(format!("{}.c", row.file)).display().to_string();
    let timeout = args.timeout.as_secs().to_string();
    let mut list = vec![file.as_str(), "--configuration", configuration, "--property", row.property];
    if configuration == "C" {
        list.extend(["--hash", "nd:3:2"]);
    }
    list.extend(["--timeout", &timeout, "--jobs", "1"]);
    list.extend(defines.iter().map(String::as_str));
    measure(args, "sweep", &list)
}

/// Figures of a sweep.
struct Figures {
    verdict: String,
    /// The smallest violated schedule, and what is wrong.
    violation: String,
    schedules: u64,
    states: u64,
    seconds: f64,
    memory: u64,
}

impl Figures {
    fn of(measured: &Measured) -> Figures {
        let result = &measured.result;
        let figure = |name: &str| result[name].as_u64().unwrap_or(0);
        let violation = result["violations"].get(0).map(|first| {
            let text = |name: &str| first[name].as_str().unwrap_or("").to_owned();
            format!("{}: {}", text("notation"), text("reason"))
        });
        Figures {
            verdict: measured.verdict().to_owned(),
            violation: violation.unwrap_or_default(),
            schedules: figure("explored"),
            states: figure("states"),
            seconds: measured.wall,
            memory: figure("peak_memory_bytes"),
        }
    }
}
