//! Memory: which object an address lies in, and who can reach it.

use crate::code::small;
use crate::reduce::memo::Key;
use crate::state::object::Object;
use crate::state::{Pools, World, address, object, object_at};
use crate::step::machine::Machine;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::memory;
use fencepost_lsl::program::{self, Program, address as regions};
use fencepost_lsl::value::IntTy;

/// A global, and where its content is.
pub(crate) struct Global {
    addr: u64,
    size: u64,
    /// The content of a constant one.
    constant: Option<u32>,
    /// Its number among the others.
    index: usize,
}

/// Where an address lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a constant global: the number of its object.
    Constant(u32),
    /// In a global.
    Global(usize),
    /// In another object.
    Dynamic(usize),
}

/// A part of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) place: Place,
    /// The number of the object.
    pub(crate) object: u32,
    pub(crate) offset: u64,
}

impl Global {
    /// All of a program, by ascending address.
    pub(crate) fn all(program: &Program, pools: &mut Pools) -> Vec<Global> {
        let mut globals = Vec::new();
        let mut index = 0;
        for (class, global) in program.globals.iter().enumerate() {
            let constant = global.constant.then(|| pools.intern_object(&words(global, small(class))));
            globals.push(Global { addr: global.addr, size: global.size, constant, index });
            index += constant.is_none() as usize;
        }
        globals
    }

    /// The numbers of those that are not constant, before the first step.
    pub(crate) fn initial(program: &Program, pools: &mut Pools) -> Vec<u32> {
        let globals = (0..).zip(&program.globals).filter(|(_, global)| !global.constant);
        globals.map(|(class, global)| pools.intern_object(&words(global, class))).collect()
    }
}

fn words(global: &program::Global, class: u32) -> Vec<u64> {
    let initial = memory::Object::of_global(global);
    let shape = object::Shape { size: global.size, align: 1, class, heap: false, zeroed: true };
    let mut words = object::new(shape, None);
    for offset in 0..global.size {
        let ty = IntTy::U8;
        object::write(&mut words, offset, ty, initial.read(offset, ty));
    }
    words
}

impl Machine<'_> {
    /// Finds what an access touches, or why it is a fault whatever other threads do.
    #[inline]
    pub(crate) fn locate(&mut self, world: &World, addr: u64, bytes: u64) -> Result<Spot, Fault> {
        let spot = self.find(world, addr)?;
        match spot.place {
            Place::Constant(_) => {}
            Place::Global(index) => self.looks.object(Key::global(index), spot.object),
            Place::Dynamic(at) => self.looks.object(Key::slot(world.slots[at]), spot.object),
        }
        if spot.offset + bytes > self.pools.object(spot.object).size() {
            return Err(Fault::OutOfBounds);
        }
        Ok(spot)
    }

    fn find(&self, world: &World, addr: u64) -> Result<Spot, Fault> {
        if addr < regions::NULL_END {
            return Err(Fault::Null);
        }
        if let Some(slot) = address::slot(addr) {
            let at = world.slots.iter().rposition(|first| *first <= slot).ok_or(Fault::OutOfBounds)?;
            let base = self.pools.object(world.objects[at]).base(world.slots[at]);
            let offset = addr.checked_sub(base).ok_or(Fault::OutOfBounds)?;
            return Ok(Spot { place: Place::Dynamic(at), object: world.objects[at], offset });
        }
        let at = self.globals.partition_point(|global| global.addr <= addr);
        let global = at.checked_sub(1).map(|at| &self.globals[at]).ok_or(Fault::OutOfBounds)?;
        let offset = addr - global.addr;
        if offset >= global.size {
            return Err(Fault::OutOfBounds);
        }
        Ok(match global.constant {
            Some(object) => Spot { place: Place::Constant(object), object, offset },
            None => Spot { place: Place::Global(global.index), object: world.globals[global.index], offset },
        })
    }

    /// Whether a pointer may be moved from one address to another: not away from the object it belongs to,
    /// nor from null to anything else. Of objects only the size is looked at, which stays the same.
    pub(crate) fn within(&mut self, world: &World, base: u64, result: u64) -> Result<(), Fault> {
        let stays = match self.room(world, base) {
            Some(room) => regions::belongs(room, result),
            None => base >= regions::NULL_END || result < regions::NULL_END,
        };
        if stays { Ok(()) } else { Err(Fault::Strayed) }
    }

    /// Address and size of the object that an address belongs to.
    fn room(&mut self, world: &World, addr: u64) -> Option<(u64, u64)> {
        let Some(slot) = address::slot(addr) else {
            let at =
                self.globals.partition_point(|global| global.addr <= addr.saturating_add(regions::MARGIN));
            let global = &self.globals[at.checked_sub(1)?];
            return Some((global.addr, global.size)).filter(|room| regions::belongs(*room, addr));
        };
        let at = world.slots.iter().rposition(|first| *first <= slot);
        // What lies in a slot where no object starts depends on more than that slot.
        let Some(at) = at.filter(|at| world.slots[*at] == slot) else {
            self.looks.pure = false;
            let object = self.pools.object(world.objects[at?]);
            let room = (object.base(world.slots[at?]), object.size());
            return Some(room).filter(|room| regions::belongs(*room, addr));
        };
        let object = self.pools.object(world.objects[at]);
        let room = (object.base(slot), object.size());
        self.looks.size(&self.pools, world, slot);
        Some(room).filter(|room| regions::belongs(*room, addr))
    }

    /// Puts an object in the place of another. Whether there are objects that everybody can reach by it.
    pub(crate) fn replace(&mut self, world: &mut World, place: Place, words: &[u64]) -> bool {
        let number = self.pools.intern_object(words);
        match place {
            Place::Global(at) => world.globals[at] = number,
            Place::Dynamic(at) => world.objects[at] = number,
            Place::Constant(_) => unreachable!("stores to constants are faults"),
        }
        Object(words).owner().is_none() && {
            let reached = self.pools.objects.references(number).to_vec();
            self.share(world, reached)
        }
    }

    /// Lets everybody reach the objects in some slots, and what they refer to. Whether there are any.
    fn share(&mut self, world: &mut World, mut slots: Vec<u32>) -> bool {
        let mut any = false;
        while let Some(slot) = slots.pop() {
            self.looks.cover(&self.pools, world, slot);
            let Some(at) = object_at(&self.pools, world, slot) else { continue };
            self.looks.object(Key::slot(world.slots[at]), world.objects[at]);
            any = true;
            let object = self.pools.object(world.objects[at]);
            if object.owner().is_none() {
                continue;
            }
            let mut words = object.0.to_vec();
            object::share(&mut words);
            world.objects[at] = self.pools.intern_object(&words);
            slots.extend_from_slice(self.pools.objects.references(world.objects[at]));
        }
        any
    }

    /// Shares what a word refers to.
    pub(crate) fn share_word(&mut self, world: &mut World, word: u64) {
        if word >= regions::STACK {
            let mut slots = Vec::new();
            address::references(word, |slot| slots.push(slot));
            self.share(world, slots);
        }
    }
}
