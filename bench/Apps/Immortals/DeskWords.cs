namespace Ambrosia.Bench.Immortals;

/// <summary>What a process that takes commands on standard input begins its lines with.</summary>
internal static class DeskWords
{
    /// <summary>Begins the line that says that commands are taken now.</summary>
    public const string Ready = "ready";

    /// <summary>Begins every outcome.</summary>
    public const string Answer = "answer ";
}
