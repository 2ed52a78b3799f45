using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Upgrades;

/// <summary>What an app does that only follows concerns nobody.</summary>
internal sealed class SilentObserver : IAppObserver
{
    public Task FirstCheckpointTakenAsync() => Task.CompletedTask;

    public void AppDone(Lsn lsn)
    {
    }

    public void AppBecamePrimary()
    {
    }

    public string? CheckpointHindrance(Lsn lsn) => null;

    public ValueTask<bool> LeavesCheckpointAsync(Func<Lsn> executed) => new(false);

    public void CheckpointTaken(Lsn lsn, long appBytes)
    {
    }

    public void CheckpointFailed(Lsn lsn, string reason)
    {
    }

    public Task LogUpgradeAsync(UpgradeMark mark) => Task.CompletedTask;

    public ValueTask<bool> BeginUpgradeAsync(UpgradeMark planned) => new(true);

    public ValueTask<bool?> BeginBuildAsync() => default;

    public ValueTask LogBuildAsync(BuildMark mark) => default;

    public ValueTask EndUpgradeAsync() => default;

    public void HandlerFaulted(HandlerFault fault)
    {
    }

    public void Delivered(int messages)
    {
    }
}
