//! Declarations: specifiers, declarators, types and initialisers.

use crate::ast::{Expr, Name, StringLiteral};
use crate::token::Token;
use fencepost_lsl::source::Span;

/// Specifiers and any number of declarators: `static int a = 1, *b;`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What all its declarators share.
    pub specifiers: Specifiers,
    /// The declared names; none where the declaration only defines a type.
    pub declarators: Vec<InitDeclarator>,
    /// From the specifiers to the semicolon.
    pub span: Span,
}

/// One declared name and its initial value.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The name and its type.
    pub declarator: Declarator,
    /// What stands behind `=`.
    pub initializer: Option<Initializer>,
}

/// `_Static_assert(condition, "message")`.
#[derive(Clone, Debug)]
pub struct StaticAssert {
    /// What must not be zero.
    pub condition: Expr,
    /// What to say otherwise.
    pub message: Option<StringLiteral>,
    /// The whole.
    pub span: Span,
}

/// What a declaration says before its declarators.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// Storage classes and function specifiers.
    pub storage: Storage,
    /// Qualifiers of the base type.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub base: TypeSpecifier,
    /// `_Alignas(…)`.
    pub alignments: Vec<Alignment>,
    /// Attributes that stand among the specifiers and so hold for all declarators.
    pub attributes: Vec<Attribute>,
    /// The place.
    pub span: Span,
}

/// Storage classes and function specifiers, as written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Storage {
    /// `typedef`
    pub is_typedef: bool,
    /// `extern`
    pub is_extern: bool,
    /// `static`
    pub is_static: bool,
    /// `auto`
    pub is_auto: bool,
    /// `register`
    pub is_register: bool,
    /// `_Thread_local`
    pub is_thread_local: bool,
    /// `inline`
    pub is_inline: bool,
    /// `_Noreturn`
    pub is_noreturn: bool,
}

/// Type qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic`
    pub is_atomic: bool,
}

/// The base type of a declaration.
#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    /// None was written: `int` in an old-style function.
    Implicit,
    /// An arithmetic type or `void`.
    Basic(BasicType),
    /// The name of a `typedef`, or one that was reported as unknown.
    Typedef(Name),
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    /// `enum`
    Enum(Box<EnumSpecifier>),
    /// `typeof(expression)`
    TypeofExpr(Box<Expr>),
    /// `typeof(type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
    /// `__auto_type`: the type of the initialiser.
    Auto,
    /// `__builtin_va_list`
    VaList,
}

/// The types that are named by keywords alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BasicType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned int`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// A floating type beyond those of C11, such as `_Float128`.
    ExtendedFloat,
    /// A complex type of any kind.
    Complex,
}

impl BasicType {
    /// The type as C writes it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            BasicType::Void => "void",
            BasicType::Bool => "_Bool",
            BasicType::Char => "char",
            BasicType::SignedChar => "signed char",
            BasicType::UnsignedChar => "unsigned char",
            BasicType::Short => "short",
            BasicType::UnsignedShort => "unsigned short",
            BasicType::Int => "int",
            BasicType::UnsignedInt => "unsigned int",
            BasicType::Long => "long",
            BasicType::UnsignedLong => "unsigned long",
            BasicType::LongLong => "long long",
            BasicType::UnsignedLongLong => "unsigned long long",
            BasicType::Int128 => "__int128",
            BasicType::UnsignedInt128 => "unsigned __int128",
            BasicType::Float => "float",
            BasicType::Double => "double",
            BasicType::LongDouble => "long double",
            BasicType::ExtendedFloat => "_Float128",
            BasicType::Complex => "_Complex",
        }
    }
}

/// Whether the members of a record follow or overlap each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// They follow each other.
    Struct,
    /// They overlap.
    Union,
}

impl RecordKind {
    /// The keyword.
    pub(crate) fn text(self) -> &'static str {
        match self {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        }
    }
}

/// `struct tag { … }`.
#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    /// Which of the two.
    pub kind: RecordKind,
    /// Its tag.
    pub tag: Option<Name>,
    /// Its members, where it is defined here.
    pub members: Option<Vec<Member>>,
    /// Attributes of the type, such as `packed`.
    pub attributes: Vec<Attribute>,
    /// The alignment that `#pragma pack` leaves to its members.
    pub pack: Option<u64>,
    /// The place.
    pub span: Span,
}

/// Something between the braces of a record.
#[derive(Clone, Debug)]
pub enum Member {
    /// Fields of one base type.
    Fields(FieldDeclaration),
    /// An assertion.
    StaticAssert(StaticAssert),
}

/// Fields of one base type: `int a, b : 3;`.
#[derive(Clone, Debug)]
pub struct FieldDeclaration {
    /// What all its fields share.
    pub specifiers: Specifiers,
    /// The fields; none for an anonymous struct or union whose members become the outer one's.
    pub fields: Vec<Field>,
    /// The place.
    pub span: Span,
}

/// One field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name and type; without a name for a bit-field that only fills space.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<Expr>,
}

/// `enum tag { … }`.
#[derive(Clone, Debug)]
pub struct EnumSpecifier {
    /// Its tag.
    pub tag: Option<Name>,
    /// The type its values are kept in: `enum tag : type`.
    pub underlying: Option<Box<TypeName>>,
    /// Its constants, where it is defined here.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes of the type, such as `packed`.
    pub attributes: Vec<Attribute>,
    /// The place.
    pub span: Span,
}

/// One constant of an enumeration.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Name,
    /// Its value, if given.
    pub value: Option<Expr>,
}

/// What `_Alignas` asks for.
#[derive(Clone, Debug)]
pub enum Alignment {
    /// As strict as that of a type.
    Type(TypeName),
    /// A number of bytes.
    Expr(Expr),
}

/// One attribute: `__attribute__((name(arguments)))` or `[[gnu::name(arguments)]]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name as written, perhaps with underscores around it.
    pub name: Name,
    /// Which of those we know it is.
    pub kind: AttributeKind,
    /// What stands between its parentheses.
    pub arguments: Vec<Token>,
}

/// The attributes that matter, and all others.
#[derive(Clone, Debug)]
pub enum AttributeKind {
    /// `packed`: no padding.
    Packed,
    /// `aligned(n)`; without argument the largest alignment of the target.
    Aligned(Option<Box<Expr>>),
    /// `noreturn`: the function does not come back.
    Noreturn,
    /// `unused`: no warning if it is.
    Unused,
    /// `cleanup(f)`: `f` is called with the variable's address when it goes out of scope.
    Cleanup(Name),
    /// `constructor`: called before `main`.
    Constructor,
    /// `destructor`: called behind `main`.
    Destructor,
    /// Any other.
    Other,
}

/// A declared name and how its type is made from the base type.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name; none in an abstract declarator.
    pub name: Option<Name>,
    /// From the name outwards: `int *a[3]` is an array, then a pointer.
    pub derivations: Vec<Derivation>,
    /// Attributes of this name alone.
    pub attributes: Vec<Attribute>,
    /// The name or register given to the assembler: `int x asm("y")`.
    pub asm_name: Option<StringLiteral>,
    /// The place; where nothing was written, an empty one.
    pub span: Span,
}

/// One step from a base type to the type of a name.
#[derive(Clone, Debug)]
pub enum Derivation {
    /// A pointer with these qualifiers.
    Pointer(Qualifiers),
    /// An array.
    Array(ArrayDerivation),
    /// A function.
    Function(FunctionDerivation),
}

/// `[static const 3]`.
#[derive(Clone, Debug)]
pub struct ArrayDerivation {
    /// The number of elements, if given.
    pub size: Option<Box<Expr>>,
    /// In a parameter: at least `size` elements are there.
    pub is_static: bool,
    /// In a prototype: `[*]`, of variable length.
    pub is_star: bool,
    /// In a parameter: qualifiers of the pointer it becomes.
    pub qualifiers: Qualifiers,
}

/// `(int a, ...)`.
#[derive(Clone, Debug)]
pub struct FunctionDerivation {
    /// The parameters; none for `(void)`. Those of an old-style function have no types.
    pub parameters: Vec<Parameter>,
    /// More arguments may follow.
    pub variadic: bool,
    /// No prototype: `()` or `(a, b)`.
    pub old_style: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its base type.
    pub specifiers: Specifiers,
    /// Its name, if any, and type.
    pub declarator: Declarator,
}

/// A type without a name: `(const char *)`.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The base type.
    pub specifiers: Specifiers,
    /// How the type is made from it; without a name.
    pub declarator: Declarator,
    /// The place.
    pub span: Span,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// One value.
    Expr(Expr),
    /// Values for the parts.
    List(InitializerList),
}

/// `{ 1, .field = 2, [3] = 4 }`.
#[derive(Clone, Debug)]
pub struct InitializerList {
    /// The values in order.
    pub items: Vec<InitializerItem>,
    /// With the braces.
    pub span: Span,
}

/// A value and the part it is for.
#[derive(Clone, Debug)]
pub struct InitializerItem {
    /// The way to the part; none for the next one.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: Initializer,
}

/// A step to a part of an object.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.field`, or GNU's old `field:`.
    Field(Name),
    /// `[index]`
    Index(Expr),
    /// `[first ... last]`
    Range(Expr, Expr),
}
