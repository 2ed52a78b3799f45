namespace Ambrosia.Runtime;

/// <summary>How the type table names a type. Values below <see cref="Array"/> are a <see cref="Primitive"/>.</summary>
internal enum TypeForm : byte
{
    /// <summary>Rank (0 = zero-based vector), element type.</summary>
    Array = 64,

    /// <summary>Definition, number of arguments, arguments.</summary>
    Generic = 65,

    /// <summary>Assembly ("" = of .NET itself), full name.</summary>
    Named = 66,

    /// <summary>Declaring type, <see cref="GeneratedKind"/>, method, fingerprint, fingerprint of the lambdas, index among equals.</summary>
    Generated = 67,

    /// <summary>Assembly, number of properties, their names.</summary>
    Anonymous = 68,
}
