namespace Ambrosia.Builds;

/// <summary>A type of the application as messages and checkpoints show it.</summary>
/// <param name="Kind">What its members are.</param>
/// <param name="Members">Of an enum numbers by names, of a union types by tags, of another type types by names.</param>
internal sealed record BuildType(BuildTypeKind Kind, IReadOnlyDictionary<string, string> Members)
{
    /// <summary>Stands in the place of a type's name for the packages that the application refers to.</summary>
    public const string Packages = "<packages>";

    /// <summary>
    /// Stands in the place of a type's name for the code that writes and reads what is saved beside the fields: OnSave and OnRestore.
    /// </summary>
    public const string OwnFormat = "<own format>";

    /// <summary>Ends the type of a member that must have been sent.</summary>
    public const char Needed = '!';
}
