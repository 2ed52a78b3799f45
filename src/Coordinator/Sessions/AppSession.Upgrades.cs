using System.IO.Pipelines;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>The session's part in upgrades that its app meets in the log; docs/internals/upgrades.md has the steps.</summary>
internal sealed partial class AppSession
{
    private LogPosition Position => _services.Position;

    // No turn that it has not been given can have sent it.
    void IAppEvents.LegacySent() => _services.Router.TurnsEnded(Delivery.Delivered.Value);

    void IAppEvents.VersionTold(StateVersion version)
    {
        Delivery.Gate?.Told(version);
        Delivery.Wake();
    }

    void IAppEvents.BuildTold(BuildCompared compared)
    {
        if (Delivery.Gate is { Closed: true, IsCrossing: true })
        {
            Builds?.Crossed(compared);
        }
        else
        {
            Delivery.Gate?.Told(compared.Build);
            Builds?.Told(compared);
        }

        Delivery.Wake();
    }

    ValueTask IAppEvents.ContractToldAsync(BindingContract contract) =>
        _primary ? _services.KeepContractAsync(contract) : throw new ProtocolException("a contract before BecomingPrimary", 0);

    void IAppEvents.ShapesTold(BindingShapes shapes)
    {
        if (!_primary)
        {
            throw new ProtocolException("shapes before BecomingPrimary", 0);
        }

        _services.Shapes.Tell(shapes.Text);
    }

    void IAppEvents.EffectsWereTold(EffectsTold told) => Figures.Take(told, _primary);

    void IAppEvents.RoutinesWereTold(RoutinesTold told) => Figures.Take(told, _primary);

    void IAppEvents.UpgradeFailed(UpgradeFailure failure)
    {
        string advice = failure.MayPass ? "; start the old version, which lets them finish, and upgrade while it runs" : "; nothing was changed, the old version may be started again";
        CoreLog.UpgradeFailed(_services.Logger, failure.Reason + advice);
        Delivery.Send(BindingMessageType.Refused, new BindingRefused(VersionErrors.UpgradeFailed, failure.Reason + advice).ToBytes());
    }

    // The app has been here all the time, beside its predecessor, and holds what this checkpoint holds.
    private async Task ContinueAsync(CheckpointImage image, Lsn at)
    {
        if (image.Lsn != at)
        {
            throw new IOException("the checkpoint of the upgrade cannot be read; the app attaches again and recovers");
        }

        _services.Check.Begin(at.Value, 0);
        await image.ReattachAsync(_services.State);
        Delivery.SendSkips(_services.State.Poison.SkipsBehind(at));
        DoneWith(at);
        Delivery.ReplayThrough = at;
        await Delivery.RunAsync(at, image.Head, firstStart: false);
    }

    private async ValueTask ConvertedAsync(UpgradeGate gate, PipeReader input, long size)
    {
        if (gate.IsCrossing)
        {
            await CheckpointExchange.DiscardAsync(input, size);
        }
        else if (await _checkpoints.ReceiveAsync(input, size, gate.Current!))
        {
            Failpoint.Pass("K24");
            await _services.Decisions.LogAsync(gate.Current!);
            await _services.EndUpgradeAsync();
            CoreLog.Upgraded(_services.Logger, gate.Current!.From, gate.Current.To, gate.Current.At.Value);
        }
        else
        {
            throw new IOException("the converted state could not be written");
        }

        Builds?.Converted();
        gate.Open();
        if (Dialect.ActsBehindCheckpoint)
        {
            BecomePrimary();
        }

        Delivery.Wake();
    }
}
