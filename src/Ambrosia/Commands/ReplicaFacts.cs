namespace Ambrosia.Cli.Commands;

/// <summary>A replica that runs: its number, primary, checkpointer or secondary, its process.</summary>
internal sealed record ReplicaFacts(int Number, string Role, int ProcessId);
