namespace Ambrosia.Coordinator.Serving;

/// <summary>The words that status, metrics and logs have for roles. Scripts and dashboards compare them: they stay.</summary>
public static class ReplicaRoleNames
{
    public static IReadOnlyList<string> All { get; } = [.. Enum.GetValues<ReplicaRole>().Select(Text)];

    public static string Text(this ReplicaRole role) => role switch
    {
        ReplicaRole.Starting => "starting",
        ReplicaRole.FirstStart => "first start",
        ReplicaRole.Recovering => "recovering",
        ReplicaRole.WaitingForApp => "waiting for the app",
        ReplicaRole.Primary => "primary",
        ReplicaRole.Secondary => "secondary",
        ReplicaRole.Checkpointer => "checkpointer",
        ReplicaRole.Draining => "draining",
        _ => throw new ArgumentOutOfRangeException(nameof(role), role, "no role"),
    };
}
