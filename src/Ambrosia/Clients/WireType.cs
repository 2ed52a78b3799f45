namespace Ambrosia.Cli.Clients;

/// <summary>A type of values in JSON.</summary>
/// <param name="Kind">What kind of value.</param>
internal sealed record WireType(WireKind Kind)
{
    /// <summary>What it consists of: the one of a list, a map or what may be null; all of a tuple.</summary>
    public IReadOnlyList<WireType> Items { get; init; } = [];

    /// <summary>Members of an object, or cases of a union.</summary>
    public IReadOnlyList<WireMember> Members { get; init; } = [];

    /// <summary>Names of an enum.</summary>
    public IReadOnlyList<string> Names { get; init; } = [];

    /// <summary>The schema that it stands for, if it has a name.</summary>
    public string Reference { get; init; } = "";
}
