//! Checks that every load reads, byte by byte, what its source holds there.

use fencepost_harness::trace::{Action, EventId, Source, Trace};
use fencepost_lsl::memory::Object;
use fencepost_lsl::program::Program;
use fencepost_lsl::value::{IntTy, Value};

/// Checks the sources of all loads, and that each store is listed once in coherence.
pub(crate) fn check(program: &Program, trace: &Trace) -> Result<(), String> {
    let mut listed: Vec<EventId> = trace.stores.clone();
    listed.sort();
    let stores = trace.events.iter().enumerate().filter(|(index, event)| match event.action {
        Action::Store { .. } | Action::Free { .. } => !trace.finds_freed(event),
        // Only those that take freed memory.
        Action::Alloc { .. } => trace.stores.contains(&EventId(*index as u32)),
        _ => false,
    });
    if !listed.iter().map(|id| id.index()).eq(stores.map(|(index, _)| index)) {
        return Err("the order of stores does not list each store once".into());
    }
    for (index, event) in trace.events.iter().enumerate() {
        let Action::Load { addr, ty, value, ref from, .. } = event.action else { continue };
        if trace.finds_freed(event) {
            continue;
        }
        let mut covered = 0;
        for part in from {
            if part.offset != covered {
                return Err(format!("the sources of load {index} have gaps"));
            }
            covered += part.bytes;
            for offset in part.offset..part.offset + part.bytes {
                let byte = byte_of(value, offset);
                let content = content(program, trace, part.source, addr + offset)
                    .ok_or_else(|| format!("the source of load {index} does not cover it"))?;
                if content != byte {
                    return Err(format!("load {index} reads {byte}, its source holds {content}"));
                }
            }
        }
        if covered != ty.bytes() {
            return Err(format!("the sources of load {index} do not cover it"));
        }
        // The rest of the register must be the extension of what was read.
        if value != value.wrap(ty) {
            return Err(format!("load {index} reads more than its width"));
        }
    }
    Ok(())
}

fn byte_of(value: Value, offset: u64) -> Value {
    Value::partial(value.bits() >> (8 * offset), value.undef() >> (8 * offset)).wrap(IntTy::U8)
}

/// What memory holds in the end.
pub(crate) fn last_content(program: &Program, trace: &Trace, at: u64, ty: IntTy) -> Option<Value> {
    let (mut bits, mut undef) = (0, 0);
    for offset in 0..ty.bytes() {
        let at = at + offset;
        let writes = |id: &&EventId| content(program, trace, Source::Event(**id), at).is_some();
        let last = trace.stores.iter().rfind(writes).map_or(Source::Initial, |id| Source::Event(*id));
        let byte = content(program, trace, last, at)?;
        bits |= byte.bits() << (8 * offset);
        undef |= (byte.undef() & 0xff) << (8 * offset);
    }
    Some(Value::partial(bits, undef).wrap(ty))
}

/// The byte that a source holds at an address.
fn content(program: &Program, trace: &Trace, source: Source, at: u64) -> Option<Value> {
    match source {
        Source::Event(id) => match trace.events.get(id.index())?.action {
            Action::Store { addr, ty, value, .. } if (addr..addr + ty.bytes()).contains(&at) => {
                Some(byte_of(value, at - addr))
            }
            Action::Alloc { addr, size, zeroed, .. } if (addr..addr + size).contains(&at) => {
                Some(if zeroed { Value::ZERO } else { Value::UNDEFINED.wrap(IntTy::U8) })
            }
            _ => None,
        },
        Source::Initial => {
            let globals = program.globals.iter().map(Object::of_global);
            let allocated = trace.events.iter().filter_map(|event| match event.action {
                Action::Alloc { addr, size, zeroed, place, layout } => {
                    Some(Object::new(addr, size, place, zeroed, layout))
                }
                _ => None,
            });
            let object = globals.chain(allocated).find(|object| object.holds(at, 1))?;
            Some(object.read(at - object.base, IntTy::U8))
        }
    }
}
