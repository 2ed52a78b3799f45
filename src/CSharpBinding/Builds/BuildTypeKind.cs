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

    /// <summary>Versions by names of assemblies: the packages that the application refers to, which are no type.</summary>
    Packages = 4,

    /// <summary>Hashes of code by names of methods, which are no type.</summary>
    Code = 5,
}
