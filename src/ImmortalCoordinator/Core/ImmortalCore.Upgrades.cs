using Ambrosia.ImmortalCoordinator.Application;
using Ambrosia.ImmortalCoordinator.Upgrading;
using Ambrosia.LogStore;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>The core's part in upgrades of the app's state: it logs them, and makes up for one that a crash has interrupted behind its commit.</summary>
public sealed partial class ImmortalCore
{
    private readonly List<TaskCompletionSource> _upgradesToLog = [];

    Task IAppObserver.LogUpgradeAsync(UpgradeMark mark) => LogUpgradeAsync(mark);

    private Task LogUpgradeAsync(UpgradeMark mark)
    {
        var applied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _upgradesToLog.Add(applied);
        _pending.Add(mark with { Applied = applied });
        _appender.RequestFlush();
        return applied.Task;
    }

    private void ApplyUpgrades(List<UpgradeMark> marks)
    {
        foreach (UpgradeMark mark in marks)
        {
            _app.Upgrades.Apply(mark);
            if (mark.At > Lsn.None)
            {
                _appServer?.TakeOver.Upgraded(mark);
            }

            if (mark.Applied is { } applied)
            {
                _upgradesToLog.Remove(applied);
                applied.TrySetResult();
            }
        }
    }

    /// <summary>The checkpoint commits an upgrade; the record that says so must be there before anything behind it leaves, or a recovery from an older checkpoint would not know.</summary>
    private async ValueTask CompleteUpgradeAsync(CheckpointImage image, bool logged)
    {
        if (image.Head.Upgrades.Find(mark => mark.At == image.Lsn) is { } mark && !logged)
        {
            await LogUpgradeAsync(mark);
            CoreLog.Upgraded(_logger, mark.From, mark.To, mark.At.Value);
        }
    }

    private void AbandonUpgrades()
    {
        foreach (TaskCompletionSource waiting in _upgradesToLog.ToList())
        {
            waiting.TrySetCanceled();
        }
    }
}
