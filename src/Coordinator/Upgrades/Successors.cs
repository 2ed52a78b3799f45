using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Upgrades;

/// <summary>Serves an app beside the one that is attached, and in its place from the moment that it can take it.</summary>
internal sealed class Successors(AppServer apps, AppServices services, UpgradeCutover cutover, SpillBudget spill) : ISuccessors
{
    private readonly ContextEvent _ended = new();
    private bool _welcomes, _stopped;
    private UpgradeCandidate? _candidate;

    public bool Any => _welcomes || _candidate is not null;

    public bool Converts => _candidate is { Mark: not null };

    public bool Commits => _candidate is { IsCommitted: true };

    public async Task ServeAsync(IConnection connection, BindingHello hello, AppSession serving)
    {
        string? hindrance = apps.HasCandidate ? "another app is about to replace the attached one already"
            : !services.Position.HasCheckpoint ? "the instance has just been made and has no checkpoint yet; try again"
            : !serving.Converses ? "the attached app speaks the published protocol and cannot be told to make room; end it, start this one"
            : services.Position.Follows ? "this replica only follows: the new app attaches to the primary's coordinator, and this one "
                + "learns of the new version from its log"
            : null;
        if (hindrance is not null)
        {
            await Version2Framing.SendAsync(
                connection.Output, BindingMessageType.Refused, new BindingRefused(VersionErrors.CannotTakeOver, hindrance).Write);
            return;
        }

        ulong features = hello.Features & BindingFeatures.OfCoordinators;
        await using CheckpointImage? image = await WelcomeAsync(connection, features);
        if (image is null || _stopped)
        {
            return;
        }

        using var candidate = new UpgradeCandidate(connection, services, cutover.Shadow(spill), image, features);
        _candidate = candidate;
        try
        {
            if (!await cutover.RunAsync(candidate, serving))
            {
                return;
            }

            await apps.ReplaceAsync(serving);
        }
        finally
        {
            _candidate = null;
            _ended.Pulse();
        }

        cutover.Step("the old app has left");
        await apps.ServeSuccessorAsync(connection, hello, features, candidate.Continuation);
    }

    public async Task StopAsync()
    {
        _stopped = true;
        _candidate?.End();
        while (_candidate is not null)
        {
            await _ended.WaitAsync();
        }
    }

    // Until the checkpoint has been read, which takes its time in a service, another app may come that wants the place, too: only one
    // may have it.
    private async ValueTask<CheckpointImage?> WelcomeAsync(IConnection connection, ulong features)
    {
        _welcomes = true;
        try
        {
            BindingWelcome welcome = apps.WelcomeTo(BindingMode.Upgrade, features);
            await Version2Framing.SendAsync(connection.Output, BindingMessageType.Welcome, welcome.Write);
            return await CheckpointImage.OpenAsync(services.Log, new Lsn(ulong.MaxValue)); // Also one that is made meanwhile.
        }
        catch (Exception error) when (error is LogStoreException or CoordinatorException)
        {
            // The app that serves needs no checkpoint now, and its next one may be good.
            CoreLog.UpgradeFailed(services.Logger, $"{error.Message}; the old version goes on");
            await Version2Framing.SendAsync(
                connection.Output, BindingMessageType.Refused,
                new BindingRefused(VersionErrors.UpgradeFailed, $"no checkpoint to begin with: {error.Message}").Write);
            return null;
        }
        finally
        {
            _welcomes = false;
        }
    }
}
