//! Kinds of fences: what a user can write or be offered, by name.

use crate::program::{Fence, Order};
use std::fmt;

/// A kind of fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FenceKind {
    /// Loads before it stay before loads after it.
    LoadLoad,
    /// Loads before it stay before stores after it.
    LoadStore,
    /// Stores before it stay before stores after it.
    StoreStore,
    /// Stores before it stay before loads after it.
    StoreLoad,
    /// Orders everything.
    Full,
    /// `atomic_thread_fence(memory_order_acquire)`.
    Acquire,
    /// `atomic_thread_fence(memory_order_release)`.
    Release,
    /// `atomic_thread_fence(memory_order_acq_rel)`.
    AcqRel,
    /// `atomic_thread_fence(memory_order_seq_cst)`.
    SeqCst,
}

impl FenceKind {
    /// All of them, the fences of `fencepost.h` first.
    pub const ALL: [FenceKind; 9] = [
        FenceKind::LoadLoad,
        FenceKind::LoadStore,
        FenceKind::StoreStore,
        FenceKind::StoreLoad,
        FenceKind::Full,
        FenceKind::Acquire,
        FenceKind::Release,
        FenceKind::AcqRel,
        FenceKind::SeqCst,
    ];

    /// Its name: in C, on the command line and in files of costs.
    pub fn name(self) -> &'static str {
        match self {
            FenceKind::LoadLoad => "load-load",
            FenceKind::LoadStore => "load-store",
            FenceKind::StoreStore => "store-store",
            FenceKind::StoreLoad => "store-load",
            FenceKind::Full => "full",
            FenceKind::Acquire => "acquire",
            FenceKind::Release => "release",
            FenceKind::AcqRel => "acq_rel",
            FenceKind::SeqCst => "seq_cst",
        }
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<FenceKind> {
        FenceKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What it keeps in order.
    pub const fn fence(self) -> Fence {
        match self {
            FenceKind::LoadLoad => Fence { load_load: true, ..Fence::NONE },
            FenceKind::LoadStore => Fence { load_store: true, ..Fence::NONE },
            FenceKind::StoreStore => Fence { store_store: true, ..Fence::NONE },
            FenceKind::StoreLoad => Fence { store_load: true, ..Fence::NONE },
            FenceKind::Full => Fence::FULL,
            FenceKind::Acquire => Fence::of_order(Order::Acquire),
            FenceKind::Release => Fence::of_order(Order::Release),
            FenceKind::AcqRel => Fence::of_order(Order::AcqRel),
            FenceKind::SeqCst => Fence::of_order(Order::SeqCst),
        }
    }

    /// Whether it is one of C11's, whose meaning is the memory model's.
    pub fn is_c11(self) -> bool {
        self.fence().order != Order::Plain
    }
}

impl fmt::Display for FenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
