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

    void IAppEvents.VersionTold(StateVersion version)
    {
        _delivery.Gate?.Told(version);
        _delivery.Wake();
    }

    void IAppEvents.BuildTold(BuildCompared compared)
    {
        if (_delivery.Gate is { Closed: true, IsCrossing: true })
        {
            Builds?.Crossed(compared);
        }
        else
        {
            _delivery.Gate?.Told(compared.Build);
            Builds?.Told(compared);
        }

        _delivery.Wake();
    }

    ValueTask IAppEvents.ContractToldAsync(BindingContract contract) =>
        _primary ? _services.KeepContractAsync(contract) : throw new ProtocolException("a contract before BecomingPrimary", 0);

    void IAppEvents.EffectsWereTold(EffectsTold told) => Figures.Take(told, _primary);

    void IAppEvents.RoutinesWereTold(RoutinesTold told) => Figures.Take(told, _primary);

    void IAppEvents.UpgradeFailed(UpgradeFailure failure)
    {
        string advice = failure.MayPass ? "; start the old version, which lets them finish, and upgrade while it runs" : "; nothing was changed, the old version may be started again";
        CoreLog.UpgradeFailed(_services.Logger, failure.Reason + advice);
        _delivery.Send(BindingMessageType.Refused, new BindingRefused(VersionErrors.UpgradeFailed, failure.Reason + advice).ToBytes());
    }

    // An app of the published protocol says nothing of versions: the log says what it has, an option what it is to become.
    private UpgradeGate LegacyGate(Lsn checkpoint)
    {
        List<UpgradeMark> crossings = [.. _services.State.Upgrades.Behind(checkpoint)];
        string goal = _services.LegacyUpgradeTo;
        var gate = new UpgradeGate(crossings, goal.Length > 0 ? BindingFeatures.Upgrades : 0);
        if (goal.Length > 0)
        {
            string version = crossings is [var first, ..] ? first.From : _services.State.Upgrades.Marks is [.., var last] ? last.To : "";
            gate.Told(new StateVersion(version, goal == version ? "" : goal));
        }

        return gate;
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
        _delivery.SendSkips(_services.State.Poison.SkipsBehind(at));
        DoneWith(at);
        _delivery.ReplayThrough = at;
        await _delivery.RunAsync(at, image.Head, firstStart: false);
    }

    private async ValueTask ConvertedAsync(UpgradeGate gate, PipeReader input, long size)
    {
        if (gate.IsCrossing)
        {
            await CheckpointExchange.PassOverAsync(input, size);
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
        if (!_version2)
        {
            BecomePrimary();
        }

        _delivery.Wake();
    }
}
