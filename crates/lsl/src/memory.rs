//! Concrete memory: objects of bytes, each bit of which may be undefined.
//!
//! This is the memory of sequential executions: of specification mining, of initialisation, and of what
//! replay checks traces against. Cloning is cheap, and equal contents compare and hash equal, so that
//! explored states can be remembered.

use crate::fault::Fault;
use crate::interp::NewObject;
use crate::layout::LayoutId;
use crate::program::{Global, Place, Program, address};
use crate::value::{IntTy, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether a range of memory, given by its start and size, holds another. Neither wraps around: addresses
/// that a program computes may lie anywhere.
pub fn covers((base, size): (u64, u64), (addr, bytes): (u64, u64)) -> bool {
    addr.checked_sub(base).and_then(|offset| size.checked_sub(offset)).is_some_and(|left| bytes <= left)
}

/// An object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Address of its first byte.
    pub base: u64,
    /// Where it lives.
    pub place: Place,
    /// Whether it has been freed.
    pub freed: bool,
    /// Whether stores to it are faults.
    pub constant: bool,
    /// How to name its parts.
    pub layout: Option<LayoutId>,
    /// Its bytes; zero where undefined.
    bytes: Vec<u8>,
    /// Ones where it is undefined.
    undef: Vec<u8>,
}

impl Object {
    /// An object of `size` zeroed or undefined bytes.
    pub fn new(base: u64, size: u64, place: Place, zeroed: bool, layout: Option<LayoutId>) -> Object {
        let fill = if zeroed { 0 } else { 0xff };
        Object {
            base,
            place,
            freed: false,
            constant: false,
            layout,
            bytes: vec![0; size as usize],
            undef: vec![fill; size as usize],
        }
    }

    /// The object of a global at program start.
    pub fn of_global(global: &Global) -> Object {
        let mut object = Object::new(global.addr, global.size, Place::Global, true, global.layout);
        for part in &global.init {
            object.write(part.offset, part.ty, part.value);
        }
        object.constant = global.constant;
        object
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether an access of `size` bytes at `addr` lies in it.
    pub fn holds(&self, addr: u64, size: u64) -> bool {
        covers((self.base, self.size()), (addr, size))
    }

    /// The value at an offset, which must be inside.
    pub fn read(&self, offset: u64, ty: IntTy) -> Value {
        let range = offset as usize..(offset + ty.bytes()) as usize;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | byte as u64);
        Value::partial(word(&self.bytes[range.clone()]), word(&self.undef[range])).wrap(ty)
    }

    /// Writes a value at an offset, which must be inside.
    pub fn write(&mut self, offset: u64, ty: IntTy, value: Value) {
        for i in 0..ty.bytes() {
            let at = (offset + i) as usize;
            self.bytes[at] = (value.bits() >> (8 * i)) as u8;
            self.undef[at] = (value.undef() >> (8 * i)) as u8;
        }
    }
}

/// All objects, and where the next ones go.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Memory {
    /// Objects by base address.
    objects: BTreeMap<u64, Arc<Object>>,
    /// Per thread and place, the next free address. Each thread allocates from its own region, so that
    /// addresses do not depend on how threads interleave.
    next: BTreeMap<(Place, u32), u64>,
}

/// Bytes of stack and of heap that a thread can allocate.
const REGION: u64 = 0x80_0000;

impl Memory {
    /// Memory as a program finds it.
    pub fn initial(program: &Program) -> Memory {
        let objects = program.globals.iter().map(|g| (g.addr, Arc::new(Object::of_global(g)))).collect();
        Memory { objects, next: BTreeMap::new() }
    }

    /// Adds an object.
    pub(crate) fn insert(&mut self, object: Object) {
        self.objects.insert(object.base, Arc::new(object));
    }

    /// All objects, by address.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.values().map(|object| &**object)
    }

    /// The object in which an address lies, even if freed.
    pub fn find(&self, addr: u64) -> Option<&Object> {
        let (_, object) = self.objects.range(..=addr).next_back()?;
        object.holds(addr, 1).then_some(&**object)
    }

    /// Whether a pointer may be moved from one address to another: not away from the object it belongs to,
    /// nor from null to anything else.
    pub fn within(&self, base: u64, result: u64) -> Result<(), Fault> {
        let room = |object: &Object| (object.base, object.size());
        let stays = match self.belonging(base) {
            Some(object) => address::belongs(room(object), result),
            None => base >= address::NULL_END || result < address::NULL_END,
        };
        if stays { Ok(()) } else { Err(Fault::Strayed) }
    }

    /// The object that an address belongs to.
    fn belonging(&self, addr: u64) -> Option<&Object> {
        // With margins that do not overlap, it is the last one that starts before the end of a margin.
        let (_, object) = self.objects.range(..=addr.saturating_add(address::MARGIN)).next_back()?;
        address::belongs((object.base, object.size()), addr).then_some(&**object)
    }

    /// Allocates an object for `thread`; none if its region is full.
    pub fn alloc(&mut self, thread: u32, object: NewObject) -> Option<u64> {
        let NewObject { size, align, place, zeroed, layout } = object;
        let (start, end) = match place {
            Place::Stack => (address::STACK, address::HEAP),
            _ => (address::HEAP, address::END),
        };
        let start = start + thread as u64 * REGION;
        let limit = end.min(start + REGION);
        let next = self.next.entry((place, thread)).or_insert(start);
        let base = address::place(*next, align);
        let end = base.checked_add(size)?.checked_add(address::MARGIN)?;
        if end > limit {
            return None;
        }
        *next = end;
        self.insert(Object::new(base, size, place, zeroed, layout));
        Some(base)
    }

    /// Frees the heap object at `addr`.
    pub fn free(&mut self, addr: u64) -> Result<(), Fault> {
        let object = self.objects.get_mut(&addr).ok_or(Fault::BadFree)?;
        match object.place {
            Place::Heap if object.freed => Err(Fault::DoubleFree),
            Place::Heap => {
                Arc::make_mut(object).freed = true;
                Ok(())
            }
            _ => Err(Fault::BadFree),
        }
    }

    /// Why an access of `size` bytes at `addr` would be a fault.
    pub(crate) fn check(&self, addr: u64, size: u64, store: bool) -> Result<&Object, Fault> {
        if addr < address::NULL_END {
            return Err(Fault::Null);
        }
        let object = self.find(addr).ok_or(Fault::OutOfBounds)?;
        if !object.holds(addr, size) {
            return Err(Fault::OutOfBounds);
        }
        if object.freed {
            return Err(Fault::UseAfterFree);
        }
        if store && object.constant {
            return Err(Fault::ReadOnly);
        }
        Ok(object)
    }

    /// Reads a value.
    pub fn load(&self, addr: u64, ty: IntTy) -> Result<Value, Fault> {
        let object = self.check(addr, ty.bytes(), false)?;
        Ok(object.read(addr - object.base, ty))
    }

    /// Writes a value.
    pub fn store(&mut self, addr: u64, ty: IntTy, value: Value) -> Result<(), Fault> {
        let base = self.check(addr, ty.bytes(), true)?.base;
        if let Some(object) = self.objects.get_mut(&base) {
            Arc::make_mut(object).write(addr - base, ty, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(zeroed: bool) -> NewObject {
        NewObject { size: 8, align: address::HEAP_ALIGN, zeroed, place: Place::Heap, layout: None }
    }

    #[test]
    fn objects_are_no_better_aligned_than_asked_for() {
        let mut memory = Memory::default();
        for align in [1, 2, 4, 8, 16, 64, 4096, 1] {
            let addr = memory.alloc(0, NewObject { align, place: Place::Stack, ..heap(true) }).unwrap();
            assert_eq!(addr % (2 * align), align);
        }
    }

    #[test]
    fn pointers_stay_with_their_object() {
        let mut memory = Memory::default();
        let p = memory.alloc(0, heap(true)).unwrap();
        let q = memory.alloc(0, heap(true)).unwrap();
        let (front, back) = (p - address::MARGIN, p + 8 + address::MARGIN - 1);
        for from in [front, p, p + 8, back] {
            assert_eq!(memory.within(from, front), Ok(()));
            assert_eq!(memory.within(from, back), Ok(()));
            for away in [front - 1, back + 1, q, 0] {
                assert_eq!(memory.within(from, away), Err(Fault::Strayed), "{from:#x} {away:#x}");
            }
        }
        // Whatever goes on from one margin's end by less than a margin reaches no other object.
        assert!(back + address::MARGIN <= q);
        assert_eq!(memory.within(0, 0x800), Ok(()));
        assert_eq!(memory.within(0, p), Err(Fault::Strayed));
    }

    #[test]
    fn bytes_overlay_words() {
        let mut memory = Memory::default();
        let p = memory.alloc(0, heap(false)).unwrap();
        memory.store(p, IntTy::U32, Value::new(0x0102_0304)).unwrap();
        assert_eq!(memory.load(p + 1, IntTy::U8), Ok(Value::new(3)));
        assert_eq!(memory.load(p, IntTy::U64).unwrap().undef(), 0xffff_ffff_0000_0000);
        assert_eq!(memory.load(p + 3, IntTy::signed(8)), Ok(Value::new(1)));
    }

    #[test]
    fn faults() {
        let mut memory = Memory::default();
        let p = memory.alloc(0, heap(true)).unwrap();
        let q = memory.alloc(0, heap(true)).unwrap();
        assert_eq!(memory.load(0x10, IntTy::U8), Err(Fault::Null));
        assert_eq!(memory.load(p + 8, IntTy::U8), Err(Fault::OutOfBounds));
        assert_eq!(memory.load(p + 6, IntTy::U32), Err(Fault::OutOfBounds));
        assert_eq!(memory.free(p + 4), Err(Fault::BadFree));
        assert_eq!(memory.free(p), Ok(()));
        assert_eq!(memory.free(p), Err(Fault::DoubleFree));
        assert_eq!(memory.store(p, IntTy::U8, Value::ZERO), Err(Fault::UseAfterFree));
        assert_eq!(memory.load(q, IntTy::U64), Ok(Value::ZERO));
    }

    #[test]
    fn addresses_do_not_depend_on_the_interleaving() {
        let (mut a, mut b) = (Memory::default(), Memory::default());
        for thread in [0, 1] {
            a.alloc(thread, heap(true));
        }
        for thread in [1, 0] {
            b.alloc(thread, heap(true));
        }
        assert_eq!(a, b);
    }
}
