namespace Ambrosia.Cli.Commands;

/// <summary>Finds the coordinator that the command starts.</summary>
internal static class CoordinatorFile
{
    private const string Name = "Ambrosia.ImmortalCoordinator";

    /// <summary>The file that AMBROSIA_COORDINATOR names, else the one beside this command, which may not be there.</summary>
    public static string Path(Func<string, string?> environment) => environment("AMBROSIA_COORDINATOR") is { Length: > 0 } given
        ? given
        : DotnetProgram.Find(AppContext.BaseDirectory, Name) ?? System.IO.Path.Combine(AppContext.BaseDirectory, Name);
}
