using System.IO.Pipelines;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What an app says of its version and its build, where the log crosses upgrades; docs/internals/upgrades.md has the
/// steps.</summary>
/// <param name="services">What outlives the session.</param>
/// <param name="delivery">What waits until the app has said it.</param>
/// <param name="checkpoints">Where a converted state is saved.</param>
/// <param name="builds">What the app says of its build; null if it says nothing.</param>
internal sealed class VersionExchange(
    AppServices services, AppDelivery delivery, CheckpointExchange checkpoints, BuildChange? builds)
{
    /// <summary>True while the app converts its state: its next checkpoint is that.</summary>
    public bool Converts => delivery.Gate is { Closed: true };

    /// <summary>The app says which version of its state it holds, and which it wants.</summary>
    public void Told(StateVersion version)
    {
        delivery.Gate?.Told(version);
        delivery.Wake();
    }

    /// <summary>The app has loaded a checkpoint, and says whether its own build saved it.</summary>
    public void Told(BuildCompared compared)
    {
        if (delivery.Gate is { Closed: true, IsCrossing: true })
        {
            builds?.Crossed(compared);
        }
        else
        {
            delivery.Gate?.Told(compared.Build);
            builds?.Told(compared);
        }

        delivery.Wake();
    }

    /// <summary>The app did not convert its state.</summary>
    public void Failed(UpgradeFailure failure)
    {
        string advice = failure.MayPass
            ? "; start the old version, which lets them finish, and upgrade while it runs"
            : "; nothing was changed, the old version may be started again";
        CoreLog.UpgradeFailed(services.Logger, failure.Reason + advice);
        delivery.Send(BindingMessageType.Refused, new BindingRefused(VersionErrors.UpgradeFailed, failure.Reason + advice).ToBytes());
    }

    /// <summary>The converted state comes. It is saved where the upgrade is decided, and not where the log already crosses it.</summary>
    public async ValueTask ConvertedAsync(PipeReader input, long size)
    {
        UpgradeGate gate = delivery.Gate!;
        if (gate.IsCrossing)
        {
            await CheckpointExchange.DiscardAsync(input, size);
        }
        else if (await checkpoints.ReceiveAsync(input, size, gate.Current!))
        {
            Failpoint.Pass("K24");
            await services.Decisions.LogAsync(gate.Current!);
            await delivery.EndUpgradeAsync();
            CoreLog.Upgraded(services.Logger, gate.Current!.From, gate.Current.To, gate.Current.At.Value);
        }
        else
        {
            throw new IOException("the converted state could not be written");
        }

        builds?.Converted();
        gate.Open();
    }
}
