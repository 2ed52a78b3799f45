using Microsoft.CodeAnalysis;

namespace Ambrosia.Builds.Tests.Support;

/// <summary>An edit of the shop, and what becomes of a log when the edited build is started on it.</summary>
/// <param name="What">The edit, for people: a row of docs/guide/builds.md.</param>
/// <param name="AfterCheckpoint">When nothing is to be replayed.</param>
/// <param name="AtReplay">When every message is.</param>
/// <param name="Changes">What is replaced by what.</param>
internal sealed record Edit(string What, string AfterCheckpoint, string AtReplay, params (string Old, string New)[] Changes)
{
    public const string Goes = "goes on";
    public const string Lost = "refused: lost";
    public const string Other = "refused: other code";

    /// <summary>How the edited build is compiled.</summary>
    public OptimizationLevel Optimization { get; init; } = OptimizationLevel.Release;
}
