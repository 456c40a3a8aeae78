//! Architectures: their names, and those of their models and registers.

/// What the threads of a test are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arch {
    /// C11.
    C,
    /// x86, with 32 or 64 bits.
    X86,
    /// ARMv8, with 64 bits.
    AArch64,
    /// RISC-V.
    RiscV,
    /// Power.
    Ppc,
}

impl Arch {
    /// The one that a test begins with.
    pub fn named(name: &str) -> Option<Arch> {
        Some(match name {
            "C" => Arch::C,
            "X86" | "X86_64" => Arch::X86,
            "AArch64" => Arch::AArch64,
            "RISCV" => Arch::RiscV,
            "PPC" => Arch::Ppc,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Arch::C => "C",
            Arch::X86 => "X86",
            Arch::AArch64 => "AArch64",
            Arch::RiscV => "RISCV",
            Arch::Ppc => "PPC",
        }
    }

    /// Whether a test has read-modify-writes that are single instructions where there are others, too: LSE of ARMv8.
    pub(crate) fn has_single_instructions(self, text: &str) -> bool {
        const STARTS: [&str; 12] = [
            "SWP", "CAS", "LDADD", "LDCLR", "LDSET", "LDEOR", "LDSMAX", "LDSMIN", "STADD", "STCLR", "STSET",
            "STEOR",
        ];
        let words = text.split(|c: char| !c.is_alphanumeric());
        self == Arch::AArch64
            && words.into_iter().any(|word| STARTS.iter().any(|start| word.starts_with(start)))
    }

    /// One name for each register, however it is written; none if there is no such register. Local variables of C have
    /// whatever names they have.
    pub(crate) fn register(self, name: &str) -> Option<String> {
        let numbered = |prefixes: &[&str], count: u32| {
            let digits = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
            let number: u32 = digits.parse().ok()?;
            (number < count).then(|| format!("{}{number}", prefixes[0]))
        };
        match self {
            Arch::C => Some(name.to_owned()),
            Arch::AArch64 => numbered(&["X", "W", "x", "w"], 31),
            Arch::Ppc => numbered(&["r"], 32),
            Arch::RiscV => numbered(&["x"], 32).or_else(|| risc_v_alias(name)),
            Arch::X86 => x86_register(name),
        }
    }
}

/// Names that the calling convention of RISC-V gives to registers.
fn risc_v_alias(name: &str) -> Option<String> {
    const FIXED: [&str; 5] = ["zero", "ra", "sp", "gp", "tp"];
    if let Some(number) = FIXED.iter().position(|fixed| *fixed == name) {
        return Some(format!("x{number}"));
    }
    let (kind, digits) = name.split_at_checked(1)?;
    let number: u32 = digits.parse().ok()?;
    let register = match (kind, number) {
        ("t", 0..=2) => 5 + number,
        ("t", 3..=6) => 25 + number,
        ("s", 0..=1) => 8 + number,
        ("s", 2..=11) => 16 + number,
        ("a", 0..=7) => 10 + number,
        _ => return None,
    };
    Some(format!("x{register}"))
}

fn x86_register(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    if let Some(number) = upper.strip_prefix('R') {
        let number = number.strip_suffix('D').unwrap_or(number);
        if (8..16).contains(&number.parse().unwrap_or(0)) {
            return Some(format!("R{number}"));
        }
    }
    let short = upper.strip_prefix(['R', 'E'])?;
    ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"].contains(&short).then(|| format!("R{short}"))
}
