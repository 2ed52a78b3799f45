namespace Ambrosia.Cli.Clients;

/// <summary>How values of a type stand in JSON, as far as a client must know.</summary>
internal enum WireKind
{
    /// <summary>Any JSON.</summary>
    Any,
    Boolean,
    Text,

    /// <summary>A number, or the name of one that is none.</summary>
    Float,

    /// <summary>An integer that every number of JavaScript holds exactly.</summary>
    Integer,

    /// <summary>An integer that may be larger.</summary>
    Large,
    Decimal,

    /// <summary>A date with a time, as text.</summary>
    Time,

    /// <summary>Base64.</summary>
    Bytes,
    Nullable,
    List,
    Tuple,
    Map,
    Object,

    /// <summary>An object whose <c>$type</c> says which one.</summary>
    Union,
    Enum,

    /// <summary>A type that has a name.</summary>
    Named,
}
