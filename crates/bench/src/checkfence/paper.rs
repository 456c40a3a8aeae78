//! The rows of CheckFence's Figure 10: inclusion checks of fenced implementations on the model Relaxed, on
//! a 3 GHz Pentium 4 with zChaff. Times leave out the lazy unrolling of loops and the mining of
//! specifications.

/// One row.
pub(crate) struct Row {
    /// The implementation.
    pub(crate) implementation: &'static str,
    /// The test.
    pub(crate) test: &'static str,
    /// Statements of the unrolled code.
    pub(crate) instructions: u32,
    /// Loads in it.
    pub(crate) loads: u32,
    /// Stores in it.
    pub(crate) stores: u32,
    /// Seconds to make the formula.
    pub(crate) encode: f64,
    /// Variables of the formula.
    pub(crate) variables: u32,
    /// Clauses of the formula.
    pub(crate) clauses: u32,
    /// Megabytes of the solver.
    pub(crate) memory: u32,
    /// Seconds of the solver.
    pub(crate) solve: f64,
    /// Seconds in all.
    pub(crate) total: f64,
    /// Whether it is one of the small rows.
    pub(crate) quick: bool,
}

macro_rules! rows {
    ($($implementation:ident { $($test:ident $instructions:literal $loads:literal $stores:literal $encode:literal
        $variables:literal $clauses:literal $memory:literal $solve:literal $total:literal;)* })*) => {
        /// All rows. `< 1` and `< 0.1` stand as 1 and 0.1.
        pub(crate) const FIGURE_10: &[Row] = &[$($(Row {
            implementation: stringify!($implementation),
            test: stringify!($test),
            instructions: $instructions,
            loads: $loads,
            stores: $stores,
            encode: $encode,
            variables: $variables,
            clauses: $clauses,
            memory: $memory,
            solve: $solve,
            total: $total,
            quick: $instructions < 700,
        },)*)*];
    };
}

rows! {
    ms2 {
        T0 142 13 20 0.1 433 5_077 1 0.1 0.1;
        T1 256 25 33 0.6 1_266 40_454 4 0.2 0.8;
        T53 346 33 47 2.0 2_445 125_831 12 1.9 3.9;
        T54 346 33 47 1.8 2_378 125_745 12 5.1 6.9;
        T55 346 33 47 1.6 2_331 125_788 12 7.2 8.7;
        T56 346 33 47 1.6 2_304 123_660 12 3.3 4.9;
        Ti2 301 29 40 0.8 1_409 42_418 4 0.2 1.0;
        Ti3 370 37 46 1.7 2_116 90_066 12 0.7 2.4;
        Tpc2 256 25 33 0.7 1_294 41_553 4 0.1 0.8;
        Tpc3 370 37 46 2.4 2_591 142_742 15 1.6 4.0;
        Tpc4 484 49 59 7.4 4_324 342_446 47 12.0 19.4;
        Tpc5 598 61 72 16.4 6_493 677_390 94 91.6 108.0;
        Tpc6 712 73 85 35.0 9_098 1_178_842 186 367.0 402.0;
    }
    msn {
        T0 214 22 14 0.2 1_004 12_151 1 0.1 0.2;
        T1 1000 115 55 22.0 14_848 1_597_115 189 314.0 336.0;
        T53 966 107 57 22.0 14_536 1_426_104 188 105.0 127.0;
        Ti2 843 93 48 8.5 10_407 709_416 94 7.2 15.7;
        Ti3 1086 122 60 25.6 16_344 1_633_713 190 35.4 61.0;
        Tpc2 454 48 27 1.4 3_496 126_013 12 0.7 2.0;
        Tpc3 694 74 40 5.4 7_638 468_274 48 6.5 11.9;
        Tpc4 934 100 53 16.4 12_979 1_165_993 186 74.0 90.4;
        Tpc5 1174 126 66 42.0 19_679 2_347_472 372 455.0 497.0;
        Tpc6 1414 152 79 130.0 27_747 4_133_783 610 1930.0 2060.0;
    }
    lazylist {
        Sac 254 29 23 0.5 1_396 24_658 2 0.1 0.5;
        Sar 435 56 39 4.0 4_521 210_799 24 0.8 4.8;
        Sacr 505 65 39 5.2 5_435 280_223 47 0.7 5.9;
        Saa 543 69 48 8.7 7_120 424_579 80 2.1 10.8;
        Saacr 747 97 58 11.7 9_233 504_304 81 3.5 15.2;
        Sacr2 1071 141 81 16.3 14_364 555_692 93 11.6 27.9;
        Sarr 842 114 67 103.0 15_941 1_731_774 318 47.3 150.3;
        S1 821 107 56 18.2 13_610 1_201_727 186 66.4 84.6;
        Saaarr 1183 158 93 93.6 23_474 1_945_051 321 86.4 180.0;
    }
    harris {
        Sac 406 34 14 0.4 1_882 25_456 2 0.1 0.5;
        Sar 575 51 18 1.4 3_670 85_824 12 0.1 1.6;
        Saa 896 77 28 5.2 8_629 333_128 48 1.0 6.3;
        Sacr 1349 125 32 28.0 16_411 1_157_264 187 6.9 34.9;
    }
    snark {
        Da 760 77 51 4.1 5_229 230_292 24 0.8 4.9;
        D0 810 89 65 19.9 9_254 1_075_792 121 9.3 29.2;
        Db 980 107 75 47.4 12_278 1_815_494 191 49.6 97.0;
        Dm 748 77 57 8.1 8_086 698_752 62 28.7 36.8;
        Dq 748 77 57 7.0 8_015 710_252 62 123.0 130.0;
    }
}

impl Row {
    /// The file of the corpus. The rows of snark verify, so they are those of a corrected one.
    pub(crate) fn file(&self) -> String {
        match self.implementation {
            "snark" => "snark-corrected.c".into(),
            name => format!("{name}.c"),
        }
    }

    /// The sequential implementation of the same data type.
    pub(crate) fn reference(&self) -> &'static str {
        match self.implementation {
            "ms2" | "msn" => "refqueue.c",
            "snark" => "refdeque.c",
            _ => "refset.c",
        }
    }

    /// The row's name.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.implementation, self.test)
    }
}
