using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;

namespace Ambrosia.Replicas.Tests.Running;

/// <summary>The replicas of one instance, as an operator sees them.</summary>
internal sealed class ReplicaSet(IReadOnlyList<NodeUnderTest> replicas)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    public IReadOnlyList<NodeUnderTest> All => replicas;

    /// <summary>Three replicas of one instance.</summary>
    public static ReplicaSet Make(Sandbox sandbox, string name, NodeSettings settings, int count = 3, string version = "1") =>
        new([.. Enumerable.Range(0, count).Select(number => MakeOne(sandbox, name, settings, number, version))]);

    /// <summary>One replica.</summary>
    public static NodeUnderTest MakeOne(Sandbox sandbox, string name, NodeSettings settings, int number, string version = "1") =>
        new(sandbox, name, Layout.Sidecar, settings with { Replica = number }) { Version = version, ReplayVersion = version };

    /// <summary>The newest checkpoint that a replica has made or adopted; 0 for none.</summary>
    public static async Task<ulong> CheckpointAsync(NodeUnderTest replica) =>
        (await Admin.StatusAsync(replica)).GetProperty("checkpoints").GetProperty("newestLsn").GetUInt64();

    /// <summary>What a replica says its role is; empty when it does not answer.</summary>
    public static async Task<(string Role, bool Ready)> RoleAsync(NodeUnderTest replica)
    {
        try
        {
            JsonElement status = await Admin.StatusAsync(replica);
            return (status.GetProperty("role").GetString()!, status.GetProperty("ready").GetBoolean());
        }
        catch (HttpRequestException)
        {
            return ("", false);
        }
    }

    /// <summary>Returns the one that acts, once there is one.</summary>
    public Task<NodeUnderTest> PrimaryAsync() => FindAsync("primary");

    /// <summary>Returns the one that has a role and is ready, once there is one.</summary>
    public async Task<NodeUnderTest> FindAsync(string role)
    {
        NodeUnderTest? found = null;
        await Wait.UntilAsync($"one of the replicas is the {role}", async () => (found = await TryFindAsync(role)) is not null, s_patience);
        return found!;
    }

    /// <summary>Returns when one replica is the primary and all others of these follow it and are near its end.</summary>
    public async Task<NodeUnderTest> CompleteAsync()
    {
        NodeUnderTest? primary = null;
        await Wait.UntilAsync(
            "all replicas are ready, one of them as the primary",
            async () =>
            {
                (string Role, bool Ready)[] roles = await Task.WhenAll(replicas.Select(RoleAsync));
                primary = roles.Count(static r => r.Role == "primary") == 1
                    ? replicas[Array.FindIndex(roles, static r => r.Role == "primary")] : null;
                return primary is not null && roles.All(static r => r.Ready && r.Role is "primary" or "secondary" or "checkpointer");
            },
            s_patience);
        return primary!;
    }

    /// <summary>The one that has a role and is ready; null while there is none.</summary>
    public async Task<NodeUnderTest?> TryFindAsync(string role)
    {
        foreach (NodeUnderTest replica in replicas)
        {
            if (await RoleAsync(replica) is { Ready: true } seen && seen.Role == role)
            {
                return replica;
            }
        }

        return null;
    }
}
