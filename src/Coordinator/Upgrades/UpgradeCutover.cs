using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Coordinator.Upgrades;

/// <summary>Leads an app from its first record to the place of the one that serves; docs/internals/upgrades.md has the steps.</summary>
internal sealed class UpgradeCutover(AppServices services, TimeProvider time, string instance, TimeSpan patience)
{
    // A round of catching up that is shorter than this leaves less than this to catch up with.
    private static readonly TimeSpan s_near = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_farewell = TimeSpan.FromSeconds(2);
    private long _held;
    private bool _begun;

    /// <summary>What people are told of the last attempt.</summary>
    public UpgradeStatus Status { get; private set; } = new();

    /// <summary>How far the last attempt has come.</summary>
    private UpgradePhase Phase { get; set; }

    /// <summary>The same log for an app that only follows: what it sends is compared and dropped.</summary>
    public AppServices Shadow(SpillBudget spill)
    {
        ReplayCheck check = services.Check.Beside();
        var router = new OutboundRouter(instance, null, spill, check);
        var state = new CoordinatorState(instance, static _ =>
            throw new InvalidOperationException("An app that only follows has no outputs."))
        {
            Upgrades = services.State.Upgrades,
        };
        return new AppServices(
            services.Log, state, new LogPosition { HasCheckpoint = true }, router, check, services.Limits, instance, services.Logger,
            services.Guard)
        {
            Checkpoints = services.Checkpoints,
            Decisions = services.Decisions,
            Counters = new CoreCounters(), // What an app does that only follows is counted by nobody.
            Latency = new LatencyProbe(time, instance),
        };
    }

    /// <summary>Completes when the candidate is the one, or has been refused.</summary>
    /// <returns>True if it takes the other's place; then that one has been held ever since.</returns>
    public async Task<bool> RunAsync(UpgradeCandidate candidate, AppSession serving)
    {
        CoreLog.UpgradeBegins(services.Logger);
        _begun = false;
        Tell(UpgradePhase.Following, new UpgradeStatus());
        Task running = candidate.RunAsync();
        string? failure = await TryAsync(candidate, serving);
        if (failure is not null && serving.Ended)
        {
            // No refusal: there is nobody in its place any more. The app may attach again as the only one.
            candidate.End();
        }
        else if (failure is not null)
        {
            candidate.Refuse(VersionErrors.UpgradeFailed, failure);
            await EndAsync(candidate, running);
        }

        await running;
        // Not before: what has begun to commit may commit until then, and no checkpoint of the old version may come behind it.
        if (_begun)
        {
            await services.EndUpgradeAsync();
        }

        if (candidate.HasHandedOver)
        {
            VersionChange mark = candidate.Mark!;
            Tell(UpgradePhase.Committed, Status with { From = mark.From, To = mark.To, Lsn = candidate.At.Value });
            return true;
        }

        if (candidate.IsCommitted)
        {
            // The log has ended: the next life of the coordinator writes the record. The old version must execute nothing more.
            serving.End();
            return false;
        }

        // Only now: until the candidate has ended, what it sends might still have become the newest checkpoint.
        serving.Held = false;
        Tell(UpgradePhase.Failed, new UpgradeStatus { Text = failure ?? "" });
        CoreLog.UpgradeFailed(services.Logger, $"{failure}; the old version goes on");
        return false;
    }

    /// <summary>For the log.</summary>
    public void Step(string what) => CoreLog.UpgradeStep(services.Logger, what, time.GetElapsedTime(_held).TotalMilliseconds);

    /// <summary>The new app acts.</summary>
    public void Acts()
    {
        if (Phase == UpgradePhase.Committed)
        {
            double silence = time.GetElapsedTime(_held).TotalMilliseconds;
            Tell(UpgradePhase.Done, Status with { SilenceMilliseconds = silence });
            CoreLog.CutOver(services.Logger, silence);
        }
    }

    /// <summary>The log says that the state was upgraded; unless an app is just being replaced, there was none to wait for.</summary>
    public void Upgraded(VersionChange mark)
    {
        if (Phase is not (UpgradePhase.Following or UpgradePhase.Converting or UpgradePhase.Committed))
        {
            Tell(UpgradePhase.Done, new UpgradeStatus { From = mark.From, To = mark.To, Lsn = mark.At.Value });
        }
    }

    private void Tell(UpgradePhase phase, UpgradeStatus status) => (Phase, Status) = (phase, status with { State = phase.Text() });

    private async Task<string?> TryAsync(UpgradeCandidate candidate, AppSession serving)
    {
        try
        {
            long began = time.GetTimestamp();
            await FollowAsync(candidate, serving);
            await BeginAsync(candidate, serving);
            while (true)
            {
                await FollowAsync(candidate, serving);
                if (await SwitchAsync(candidate, serving) is not { } waiting)
                {
                    return null;
                }

                CoreLog.UpgradeWaits(services.Logger, waiting);
                if (time.GetElapsedTime(began) >= patience)
                {
                    return $"{waiting} (tried for {patience.TotalSeconds:0.#} s, --upgrade-wait)";
                }

                await PauseAsync(s_near);
            }
        }
        catch (Exception error) when (error is UpgradeAbandonedException or LogStoreException)
        {
            return error.Message; // The latter: the lease of the checkpointer cannot be had. The app that serves has not noticed.
        }
        catch (OperationCanceledException)
        {
            return $"the old app did not end its turn, or the new one its conversion, within {patience.TotalSeconds:0.#} s "
                + $"(--upgrade-wait)";
        }
    }

    // What was logged meanwhile lies after every checkpoint that another replica may still write: the old version must have executed that
    // before it is held.
    private async ValueTask BeginAsync(UpgradeCandidate candidate, AppSession serving)
    {
        Require(candidate, serving); // Whose end from here on ends the wait.
        _begun = await services.BeginUpgradeAsync(candidate.Planned());
        if (!_begun)
        {
            Require(candidate, serving);
            throw new UpgradeAbandonedException(
                $"another replica did not stop making checkpoints within {patience.TotalSeconds:0.#} s (--upgrade-wait)");
        }

        using var limit = new CancellationTokenSource(patience, time);
        for (Lsn behind = services.Position.Durable; serving.Done < behind;)
        {
            await ServingMovedAsync(serving, candidate, limit.Token);
        }
    }

    private async ValueTask FollowAsync(UpgradeCandidate candidate, AppSession serving)
    {
        while (true)
        {
            Require(candidate, serving);
            long began = time.GetTimestamp();
            Lsn target = serving.Done;
            candidate.Follow(target);
            while (candidate.Done < target || !candidate.HasTold)
            {
                await MovedAsync(candidate, serving);
            }

            if (serving.IsPrimary && time.GetElapsedTime(began) < s_near)
            {
                return;
            }

            await PauseAsync(serving.IsPrimary ? TimeSpan.Zero : s_near);
        }
    }

    // A candidate that stands still must not keep its place when there is nobody left to follow.
    private static async ValueTask MovedAsync(UpgradeCandidate candidate, AppSession serving)
    {
        try
        {
            await candidate.MovedAsync(serving.Gone);
        }
        catch (OperationCanceledException) when (serving.Ended)
        {
            Require(candidate, serving);
        }
    }

    // A candidate that has gone must not be waited for until the turn of the other ends: nor must a stop that has ended it.
    private static async ValueTask ServingMovedAsync(AppSession serving, UpgradeCandidate candidate, CancellationToken limit)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit, candidate.Gone);
        try
        {
            await FirstOf.OrCancelAsync(serving.Moved.WaitAsync(), either.Token);
        }
        catch (OperationCanceledException) when (candidate.Gone.IsCancellationRequested)
        {
            // What is required says so.
        }

        Require(candidate, serving);
    }

    /// <summary>Null when the candidate has the place; else what was in the way, which may pass.</summary>
    private async ValueTask<string?> SwitchAsync(UpgradeCandidate candidate, AppSession serving)
    {
        if (IsCheckpoint(serving.Done))
        {
            // The new version's checkpoint must not take the place of the old one's: a record between them gives it a name of its own.
            await services.Decisions.LogAsync(candidate.Planned());
        }

        _held = time.GetTimestamp();
        using var limit = new CancellationTokenSource(patience, time);
        bool passed = false;
        serving.Held = true;
        try
        {
            while (!serving.IsQuiet)
            {
                await ServingMovedAsync(serving, candidate, limit.Token);
            }

            Step("its turns have ended");
            Failpoint.Pass("K28");
            if (IsCheckpoint(serving.Done))
            {
                passed = true;
                return "a checkpoint was just taken";
            }

            Tell(UpgradePhase.Converting, Status);
            candidate.Follow(serving.Done);
            while (candidate.Done < serving.Done)
            {
                await candidate.MovedAsync(limit.Token);
            }

            Step("the new app has executed as much");
            Require(candidate, serving);
            string? waiting = await candidate.ConvertAsync(limit.Token);
            Step(waiting is null ? "the upgrade is logged" : "suspended calls are in the way");
            passed = waiting is not null;
            return waiting;
        }
        finally
        {
            // After a failure only when the candidate has ended; see RunAsync.
            serving.Held = !passed;
        }
    }

    private bool IsCheckpoint(Lsn lsn) => services.Log.Checkpoints.Any(checkpoint => checkpoint.Lsn == lsn);

    private static void Require(UpgradeCandidate candidate, AppSession serving)
    {
        candidate.ThrowIfGone();
        candidate.ThrowIfUpgraded();
        if (serving.Ended)
        {
            throw new UpgradeAbandonedException(
                "the app that serves has gone meanwhile; try again when it is back, or start the new version in its place");
        }
    }

    private async ValueTask EndAsync(UpgradeCandidate candidate, Task running)
    {
        using var farewell = new CancellationTokenSource(s_farewell, time);
        try
        {
            await FirstOf.OrCancelAsync(running, farewell.Token);
        }
        catch (OperationCanceledException)
        {
            candidate.End();
        }
    }

    private async ValueTask PauseAsync(TimeSpan pause)
    {
        using var over = new CancellationTokenSource(pause, time);
        try
        {
            await FirstOf.OrCancelAsync(new ContextEvent().WaitAsync(), over.Token);
        }
        catch (OperationCanceledException)
        {
            // That is how it ends.
        }
    }
}
