//! Types as C writes them, for messages.

use super::{QualType, Rank, Type, Types};

impl Types {
    /// The type as C writes it, for messages.
    pub(crate) fn show(&self, ty: impl Into<QualType>) -> String {
        let ty = ty.into();
        let mut text = String::new();
        for (set, word) in [
            (ty.qualifiers.is_const, "const "),
            (ty.qualifiers.is_volatile, "volatile "),
            (ty.qualifiers.is_atomic, "_Atomic "),
        ] {
            text.push_str(if set { word } else { "" });
        }
        text + &match self.get(ty.id) {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Int { rank: Rank::PlainChar, .. } => "char".into(),
            Type::Int { rank, signed } => {
                let name = match rank {
                    Rank::PlainChar | Rank::Char => "char",
                    Rank::Short => "short",
                    Rank::Int => "int",
                    Rank::Long => "long",
                    Rank::LongLong => "long long",
                };
                let sign = match (signed, rank) {
                    (false, _) => "unsigned ",
                    (true, Rank::Char) => "signed ",
                    _ => "",
                };
                format!("{sign}{name}")
            }
            Type::Int128 { signed } => if *signed { "__int128" } else { "unsigned __int128" }.into(),
            Type::Bits { width, signed } => {
                format!("{}long : {width}", if *signed { "" } else { "unsigned " })
            }
            Type::Enum { number, .. } => self.enum_names[*number as usize].clone(),
            Type::Float(4) => "float".into(),
            Type::Float(8) => "double".into(),
            Type::Float(_) => "long double".into(),
            Type::Pointer(to) => match self.get(to.id) {
                Type::Function(function) => {
                    let parameters: Vec<String> = function.parameters.iter().map(|p| self.show(*p)).collect();
                    format!("{} (*)({})", self.show(function.result), parameters.join(", "))
                }
                _ => {
                    let to = self.show(*to);
                    let blank = if to.ends_with('*') { "" } else { " " };
                    format!("{to}{blank}*")
                }
            },
            Type::Array(element, length) => {
                format!(
                    "{}[{}]",
                    self.show(*element),
                    length.map_or(String::new(), |length| length.to_string())
                )
            }
            Type::Function(function) => {
                let parameters: Vec<String> = function.parameters.iter().map(|p| self.show(*p)).collect();
                format!("{} ({})", self.show(function.result), parameters.join(", "))
            }
            Type::Record(id) => self.record(*id).show(),
            Type::VaList => "va_list".into(),
            Type::Error => "<error>".into(),
        }
    }
}
