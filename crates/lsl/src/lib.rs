//! The load-store language (LSL): the one program form between front ends and engines.
//!
//! A front end lowers its language to a [`program::Program`]; the engines read nothing else. The language
//! is CheckFence's (PLDI 2007, Figure 4). This crate also gives it its sequential meaning
//! ([`interp`]), which every engine is judged by, and the positions ([`source`]) and messages
//! ([`diagnostic`]) that lead back to the user's text.
//!
//! ```
//! use fencepost_lsl::program::{Operand, Order, Proc, Program, Reg, RegInfo, Stmt, StmtKind};
//! use fencepost_lsl::source::{FileId, Span};
//! use fencepost_lsl::value::IntTy;
//!
//! let span = Span::new(FileId(0), 0, 0);
//! let addr = Operand::from(0x1000);
//! let load = StmtKind::Load { dst: Reg(0), addr, ty: IntTy::I32, order: Order::Acquire, failing: None };
//! let get = Proc {
//!     name: "get".into(),
//!     params: vec![],
//!     results: vec![Reg(0)],
//!     regs: vec![RegInfo::default()],
//!     body: vec![Stmt { kind: load, span }],
//!     span,
//! };
//! let program = Program { procs: vec![get], ..Program::default() };
//! assert_eq!(program.to_string().trim(), "proc get() -> r0 {\n    r0 = *0x1000 : i32 acquire\n}");
//! ```
//!
//! Begin with [`program`], the language, and [`interp`], what it means; [`value`] has the words it computes with.
//!
//! Deliberately absent: C, memory models, tests, and any input or output.

pub mod diagnostic;
pub mod fault;
pub mod fence;
pub mod interp;
pub mod layout;
pub mod liveness;
pub mod memory;
pub mod op;
pub mod program;
pub mod source;
pub mod value;
pub mod ways;

mod print;
