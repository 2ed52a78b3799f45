namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Kinds of values in MessagePack.</summary>
internal enum PackKind
{
    Nil,
    Bool,
    Integer,
    Float,
    Text,
    Binary,
    Array,
    Map,
    Extension,
}
