//! From what the command line says of clients to a sweep.

use crate::args::ClientsArgs;
use crate::check::termination;
use fencepost::sweep::{FENCED, Sweep, fence_calls};
use fencepost_explore::{Model, Options, Reductions, Termination};
use fencepost_harness::consistency::{Property, Waiting};
use fencepost_harness::operation::Harness;
use fencepost_harness::oracle::binding::{Binding, bind};
use fencepost_harness::oracle::declaration::{self, Declaration};
use fencepost_harness::oracle::reference::{Reference, Stopper};
use fencepost_harness::oracle::{Kind as Collection, Protocol};
use fencepost_harness::schedule::{Configuration, Scope};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Origin;

/// The preemption bound of configuration E.
const BOUND_OF_E: u32 = 2;

/// What else a sweep depends on.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// The name of the memory model.
    pub(crate) model: &'a str,
    /// Whether `malloc` may return what was freed before.
    pub(crate) reuse: bool,
    /// Whether hash functions are chosen.
    pub(crate) hash: bool,
    /// Asked now and then, while a reference runs, whether to give up.
    pub(crate) stop: &'a Stopper,
}

/// Makes the sweep of a file, of which just the operations of the collection remain.
pub(crate) fn prepare(
    harness: &mut Harness,
    reference: Option<Harness>,
    args: &ClientsArgs,
    setting: Setting,
) -> Result<Sweep, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let fenced = args.property == FENCED;
    let property = if fenced { Some(Property::Linear) } else { Property::named(&args.property) };
    if property.is_none() {
        let problem = Diagnostic::general(format!("unknown property `{}`", args.property));
        problems.push(problem.help("the properties are: sc, linear, linear-fenced, quiescent"));
    }
    let model = Model::named(setting.model);
    if setting.reuse && !matches!(model, None | Some(Model::Sc)) {
        let problem = Diagnostic::general("memory is used again only on sc");
        problems.push(problem.help("leave --reuse out, or sweep on sc"));
    }
    if model.is_none() {
        let problem = Diagnostic::general(format!("`{}` is no machine with store buffers", setting.model));
        problems.push(problem.help("a sweep is on sc, tso or pso"));
    }
    let declared =
        declared(harness, reference.is_some(), args).map_err(|problem| problems.push(problem)).ok();
    let (Some(property), Some(model), Some(oracle), true) = (property, model, declared, problems.is_empty())
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
        reference.map(|reference| Reference::new(harness, reference, setting.stop.clone())).transpose()?;
    if let Some(reference) = &reference {
        binding.spare_nothing_of(reference);
    }
    let (mut scope, configuration) =
        scope(oracle.as_ref(), args, setting.hash).map_err(|problem| vec![problem])?;
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
    let preemptions = args.preemptions.map_or(bound, |given| given.0);
    let termination = match termination(&args.endless) {
        // Within a bound, a thread that others do not let go on looks like one that cannot.
        Termination::Fair | Termination::Strong if preemptions.is_some() => Termination::Ignore,
        wanted => wanted,
    };
    let waiting = if args.stuck == "each" { Waiting::Each } else { Waiting::Together };
    let off = |name: &str| args.without.iter().any(|without| without == name);
    let on = |name: &str| args.with.iter().any(|with| with == name);
    let reductions = Reductions {
        private: !off("private"),
        footprint: !off("footprint"),
        sole: !off("sole"),
        collect: !off("collect"),
        remember: !off("remember"),
        rename: on("rename"),
        symmetry: on("symmetry"),
    };
    Ok(Sweep {
        harness: harness.clone(),
        binding,
        reference,
        protocol,
        property,
        fenced,
        waiting,
        scope,
        not_called,
        options: Options {
            model,
            termination,
            preemptions,
            leaks: args.leaks,
            reuse: setting.reuse,
            reductions,
            ..Options::default()
        },
        model: setting.model.to_owned(),
    })
}

/// The oracle that the command line or the file names; none if there is only a reference.
fn declared(
    harness: &mut Harness,
    reference: bool,
    args: &ClientsArgs,
) -> Result<Option<Declaration>, Diagnostic> {
    let Some(oracle) = &args.oracle else {
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
    let text = match &args.operations {
        Some(operations) => format!("{oracle} for {operations}"),
        None => oracle.clone(),
    };
    let file = harness.program.sources.add("<command line>", &text, Origin::User);
    let mut found = declaration::parse(&text, file, 0)?;
    if let (None, Some(in_file)) = (&args.operations, &harness.oracle) {
        found.operations = in_file.operations.clone();
    }
    Ok(Some(found))
}

/// The scope that the command line describes, and the configuration it starts from.
fn scope(
    oracle: Option<&Declaration>,
    args: &ClientsArgs,
    hash: bool,
) -> Result<(Scope, Option<Configuration>), Diagnostic> {
    let configuration = match args.configuration.as_deref() {
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
    scope.threads = args.threads.clone().unwrap_or(scope.threads);
    scope.steps = args.steps.clone().unwrap_or(scope.steps);
    scope.pre_adds = args.preadds.clone().unwrap_or(scope.pre_adds);
    scope.values = args.values.unwrap_or(scope.values);
    scope.generic_values |= args.generic_values;
    scope.distinct_priorities |= args.distinct_priorities;
    scope.adds_dominate |= args.adds_dominate;
    scope.thread_symmetry |= args.thread_symmetry;
    Ok((scope, configuration))
}
