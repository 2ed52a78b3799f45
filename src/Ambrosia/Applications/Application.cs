namespace Ambrosia.Cli.Applications;

/// <summary>Several immortals, and programs beside them, that belong together: what one file describes.</summary>
internal sealed record Application
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>What it consists of, immortals first, each in the order of the file.</summary>
    public required IReadOnlyList<Member> Members { get; init; }

    /// <summary>Its immortals.</summary>
    public IEnumerable<Member> Immortals => Members.Where(static member => member.IsImmortal);

    /// <summary>Its other programs.</summary>
    public IEnumerable<Member> Programs => Members.Where(static member => !member.IsImmortal);
}
