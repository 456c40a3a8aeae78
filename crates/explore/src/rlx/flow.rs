//! How control flows between the accesses of each thread, with calls inlined, and where fences could stand.
//!
//! Places are the slots that the front end was asked to mark; without them, every position in front of an
//! access of the program or behind one is a place.

use super::info::Info;
use super::labels::Labels;
use crate::code::{Code, FlowPoint, Instr, small};
use rustc_hash::FxHashMap;

/// The flow of all threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// Positions.
    pub points: Vec<FlowPoint>,
    /// Whether places are slots. If not, places with even numbers are in front of the label with half the number,
    /// others behind it.
    pub slots: bool,
}

/// The slot that an instruction is.
fn slot(instr: &Instr) -> Option<u32> {
    if let Instr::Slot(slot) = instr { Some(*slot) } else { None }
}

/// Positions after which inlining is taken not to end.
const LIMIT: usize = 1 << 20;

/// A position with the calls that led to it.
type Context = (Vec<u32>, u32);

impl Flow {
    pub(super) fn new(code: &Code, labels: &Labels) -> Result<Flow, String> {
        let slots = code.instrs.iter().any(|instr| matches!(instr, Instr::Slot(_)));
        let mut flow = Flow { points: Vec::new(), slots };
        let info = Info::new(code);
        for driver in code.procs.iter().filter(|proc| proc.proc.is_none()) {
            let mut known: FxHashMap<Context, u32> = FxHashMap::default();
            let mut open = vec![(Vec::new(), driver.entry)];
            number(&mut flow, &mut known, &open[0]);
            while let Some(context) = open.pop() {
                let at = known[&context];
                let (stack, pc) = &context;
                let label = labels.of(*pc);
                let point = &mut flow.points[at as usize];
                point.label = label;
                point.place = match flow.slots {
                    true => slot(&code.instrs[*pc as usize]),
                    false => label.map(|label| 2 * label),
                };
                for next in successors(code, &info, stack, *pc) {
                    let new = !known.contains_key(&next);
                    let to = number(&mut flow, &mut known, &next);
                    if let (Some(label), false) = (label, flow.slots) {
                        // A position of its own behind the access.
                        flow.points.push(FlowPoint {
                            place: Some(2 * label + 1),
                            label: None,
                            next: vec![to],
                        });
                        let behind = small(flow.points.len()) - 1;
                        flow.points[at as usize].next.push(behind);
                    } else {
                        flow.points[at as usize].next.push(to);
                    }
                    if new {
                        open.push(next);
                    }
                }
                if flow.points.len() > LIMIT {
                    return Err("the program's calls are too deep to be inlined".into());
                }
            }
        }
        Ok(flow)
    }
}

fn number(flow: &mut Flow, known: &mut FxHashMap<Context, u32>, context: &Context) -> u32 {
    *known.entry(context.clone()).or_insert_with(|| {
        flow.points.push(FlowPoint::default());
        small(flow.points.len()) - 1
    })
}

fn successors(code: &Code, info: &Info, stack: &[u32], pc: u32) -> Vec<Context> {
    let here = |to: u32| (stack.to_vec(), to);
    match &code.instrs[pc as usize] {
        Instr::Enter => {
            let mut exits: Vec<u32> = info.blocks[&pc].ways.iter().map(|way| way.exit).collect();
            exits.sort_unstable();
            exits.dedup();
            exits.into_iter().map(here).collect()
        }
        Instr::Jump { to, .. } => vec![here(*to)],
        Instr::JumpIf { to, .. } => vec![here(*to), here(pc + 1)],
        Instr::Call { proc, .. } => {
            let inner = [stack, &[pc]].concat();
            vec![(inner, code.procs[*proc as usize].entry)]
        }
        Instr::Return => match stack.split_last() {
            Some((call, outer)) => vec![(outer.to_vec(), call + 1)],
            None => Vec::new(),
        },
        Instr::Exit | Instr::Prune { cond: None } => Vec::new(),
        _ => vec![here(pc + 1)],
    }
}
