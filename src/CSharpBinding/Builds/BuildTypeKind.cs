namespace Ambrosia.Builds;

/// <summary>How the members of a <see cref="BuildType"/> are meant.</summary>
internal enum BuildTypeKind : byte
{
    /// <summary>Numbers by names.</summary>
    Enum = 1,

    /// <summary>Types by tags.</summary>
    Union = 2,

    /// <summary>Types of members by their names on the wire.</summary>
    Object = 3,
}
