//! Which clients a sweep makes, and the sweep itself.

use crate::sweep::{FENCED, Sweep, fence_calls};
use fencepost_explore::{Buffering, Options, Reductions, Termination};
use fencepost_harness::budget::Budget;
use fencepost_harness::consistency::{Property, Waiting};
use fencepost_harness::operation::Harness;
use fencepost_harness::oracle::binding::{Binding, bind};
use fencepost_harness::oracle::declaration::{self, Declaration};
use fencepost_harness::oracle::reference::Reference;
use fencepost_harness::oracle::{Kind as Collection, Protocol};
use fencepost_harness::schedule::{Configuration, Scope};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Origin;
use fencepost_models::Model;
use std::ops::RangeInclusive;

/// The preemption bound of configuration E.
const BOUND_OF_E: u32 = 2;

/// Which clients a sweep makes, and what it holds them to. What is not given is as the file says, or the configuration.
#[derive(Clone)]
pub struct Clients {
    /// What the operations should do, in the words of the pragma: `queue,bounded:2`.
    pub oracle: Option<String>,
    /// The operations of the collection, by name; only with an oracle.
    pub operations: Option<String>,
    /// What order of calls an explanation must keep: sc, linear, linear-fenced or quiescent.
    pub property: String,
    /// The configuration of COLLECT's case study to begin with: A to E.
    pub configuration: Option<String>,
    /// How many threads.
    pub threads: Option<RangeInclusive<usize>>,
    /// How many calls all threads make together.
    pub steps: Option<RangeInclusive<usize>>,
    /// How many calls fill the collection before the threads start.
    pub pre_adds: Option<RangeInclusive<usize>>,
    /// Arguments are less than this.
    pub values: Option<usize>,
    /// Items are numbered as they are added.
    pub generic_values: bool,
    /// Only schedules in which all scores differ.
    pub distinct_priorities: bool,
    /// Only schedules that remove no more often than they add.
    pub adds_dominate: bool,
    /// Of schedules that differ only in the order of threads, one.
    pub thread_symmetry: bool,
    /// Switches of threads that could have gone on, at most; some configurations have a bound.
    pub preemptions: Option<Option<u32>>,
    /// What justifies that threads wait for ever.
    pub waiting: Waiting,
    /// Which endless executions are violations.
    pub termination: Termination,
    /// Whether lost heap objects are violations.
    pub leaks: bool,
    /// Reductions of the exploration.
    pub reductions: Reductions,
}

impl Default for Clients {
    fn default() -> Clients {
        Clients {
            oracle: None,
            operations: None,
            property: Property::Linear.name().into(),
            configuration: None,
            threads: None,
            steps: None,
            pre_adds: None,
            values: None,
            generic_values: false,
            distinct_priorities: false,
            adds_dominate: false,
            thread_symmetry: false,
            preemptions: None,
            waiting: Waiting::Together,
            termination: Termination::Fair,
            leaks: false,
            reductions: Reductions::default(),
        }
    }
}

/// What else a sweep depends on.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The memory model.
    pub model: &'a Model,
    /// Whether `malloc` may return what was freed before.
    pub reuse: bool,
    /// Whether hash functions are chosen.
    pub hash: bool,
    /// What a reference may cost. What it remembers serves all schedules, so its limit of memory is one of the whole
    /// process.
    pub budget: &'a Budget,
}

/// Makes the sweep of a file, of which just the operations of the collection remain.
pub fn prepare(
    harness: &mut Harness,
    reference: Option<Harness>,
    clients: &Clients,
    setting: Setting,
) -> Result<Sweep, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let fenced = clients.property == FENCED;
    let property = if fenced { Some(Property::Linear) } else { Property::named(&clients.property) };
    if property.is_none() {
        let problem = Diagnostic::general(format!("unknown property `{}`", clients.property));
        problems.push(problem.help("the properties are: sc, linear, linear-fenced, quiescent"));
    }
    let buffering = setting.model.buffering;
    if setting.reuse && !matches!(buffering, None | Some(Buffering::Sc)) {
        let problem = Diagnostic::general("memory is used again only on sc");
        problems.push(problem.help("leave --reuse out, or sweep on sc"));
    }
    if buffering.is_none() {
        let problem =
            Diagnostic::general(format!("`{}` is no machine with store buffers", setting.model.name));
        problems.push(problem.help("a sweep is on sc, tso or pso"));
    }
    let declared =
        declared(harness, reference.is_some(), clients).map_err(|problem| problems.push(problem)).ok();
    let (Some(property), Some(buffering), Some(oracle), true) =
        (property, buffering, declared, problems.is_empty())
    else {
        return Err(problems);
    };
    let (mut binding, protocol, mut not_called) = match &oracle {
        Some(oracle) => {
            let left_out = oracle.select(harness)?;
            (bind(harness, oracle.kind, oracle.protocol, None)?, oracle.protocol, left_out)
        }
        None => (Binding::plain(harness), Protocol::NonBlocking, Vec::new()),
    };
    if fenced && !fence_calls(harness) {
        return Err(vec![Diagnostic::general(
            "there is no room for fences after calls: the globals are too large",
        )]);
    }
    let reference =
        reference.map(|reference| Reference::new(harness, reference, setting.budget.clone())).transpose()?;
    if let Some(reference) = &reference {
        binding.spare_nothing_of(reference);
    }
    let (mut scope, configuration) =
        scope(oracle.as_ref(), clients, setting.hash).map_err(|problem| vec![problem])?;
    scope.methods = binding.methods();
    let mut problems = scope.problems(protocol);
    if problems.is_empty() {
        problems = binding.problems(harness, &scope);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let idle = scope.idle().into_iter().filter_map(|method| binding.op(method));
    not_called.extend(idle.map(|op| harness.op(op).name.clone()));
    let bound = (configuration == Some(Configuration::E)).then_some(BOUND_OF_E);
    let preemptions = clients.preemptions.unwrap_or(bound);
    let termination = match clients.termination {
        // Within a bound, a thread that others do not let go on looks like one that cannot.
        Termination::Fair | Termination::Strong if preemptions.is_some() => Termination::Ignore,
        wanted => wanted,
    };
    Ok(Sweep {
        harness: harness.clone(),
        binding,
        reference,
        protocol,
        property,
        fenced,
        waiting: clients.waiting,
        scope,
        not_called,
        options: Options {
            buffering,
            termination,
            preemptions,
            leaks: clients.leaks,
            reuse: setting.reuse,
            reductions: clients.reductions,
            ..Options::default()
        },
        model: setting.model.clone(),
    })
}

/// The oracle that the command line or the file names; none if there is only a reference.
fn declared(
    harness: &mut Harness,
    reference: bool,
    clients: &Clients,
) -> Result<Option<Declaration>, Diagnostic> {
    let Some(oracle) = &clients.oracle else {
        return match harness.oracle.clone() {
            None if !reference => {
                let problem = Diagnostic::general("nothing says what the operations should do");
                Err(problem.help(
                    "add `#pragma fencepost oracle queue` to the file, or give --oracle queue, or a --reference",
                ))
            }
            declared => Ok(declared),
        };
    };
    let text = match &clients.operations {
        Some(operations) => format!("{oracle} for {operations}"),
        None => oracle.clone(),
    };
    let file = harness.program.sources.add("<command line>", &text, Origin::User);
    let mut found = declaration::parse(&text, file, 0)?;
    if let (None, Some(in_file)) = (&clients.operations, &harness.oracle) {
        found.operations = in_file.operations.clone();
    }
    Ok(Some(found))
}

/// The scope that the command line describes, and the configuration it starts from.
fn scope(
    oracle: Option<&Declaration>,
    clients: &Clients,
    hash: bool,
) -> Result<(Scope, Option<Configuration>), Diagnostic> {
    let configuration = match clients.configuration.as_deref() {
        None => None,
        Some("A" | "a") => Some(Configuration::A),
        Some("B" | "b") => Some(Configuration::B),
        Some("D" | "d") => Some(Configuration::D),
        Some("E" | "e") => Some(Configuration::E),
        Some("C" | "c") if hash => Some(Configuration::C),
        Some("C" | "c") => {
            return Err(Diagnostic::general("configuration C is B with hash functions that are chosen")
                .help("give --hash nd:3:2 with it, for files that use `fp_hash`"));
        }
        Some(other) => {
            return Err(Diagnostic::general(format!("unknown configuration `{other}`"))
                .help("the configurations are: A, B, C, D, E"));
        }
    };
    let (kind, protocol) =
        oracle.map_or((Collection::Set, Protocol::NonBlocking), |oracle| (oracle.kind, oracle.protocol));
    let mut scope = Scope::of(configuration.unwrap_or(Configuration::B), kind, protocol);
    if oracle.is_none() {
        // Nothing is known to add anything.
        scope.pre_adds = 0..=0;
    }
    if configuration.is_none() {
        scope.values = 2;
        scope.generic_values = false;
        scope.distinct_priorities = false;
        scope.adds_dominate = false;
        scope.thread_symmetry = false;
    }
    scope.threads = clients.threads.clone().unwrap_or(scope.threads);
    scope.steps = clients.steps.clone().unwrap_or(scope.steps);
    scope.pre_adds = clients.pre_adds.clone().unwrap_or(scope.pre_adds);
    scope.values = clients.values.unwrap_or(scope.values);
    scope.generic_values |= clients.generic_values;
    scope.distinct_priorities |= clients.distinct_priorities;
    scope.adds_dominate |= clients.adds_dominate;
    scope.thread_symmetry |= clients.thread_symmetry;
    Ok((scope, configuration))
}
