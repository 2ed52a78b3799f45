namespace Ambrosia.Runtime;

/// <summary>Single attempts to perform effects: what performs it, for how long, and what becomes of one that takes longer.</summary>
internal sealed class Attempts(
    IEffectRuntime runtime, OutsideSettings settings, OutsideTurns outside, AttemptReports reports, AbandonedAttempts abandoned)
{
    /// <summary>Performs an effect once, and gives the encoded result.</summary>
    /// <exception cref="TimeoutException">It takes longer than it may, or failed with that.</exception>
    public async Task<ReadOnlyMemory<byte>> PerformAsync(RunningEffect running, TimeSpan limit)
    {
        PendingEffect effect = running.Effect;
        EffectMethod method = effect.Method;
        EffectCall call = method.Decode(effect.Arguments, runtime.Library);
        PerformerLease lease = settings.Effects.Performers.Take(effect.Contract);
        reports.HasPerformer(effect.Contract);
        using var given = CancellationTokenSource.CreateLinkedTokenSource(running.Withdrawn);
        var context = new EffectContext(
            $"{runtime.Welcome.InstanceId:D}/{effect.Key}", running.Attempts, runtime.Welcome.Epoch, effect.Asked, settings.Time,
                settings.Logger, given.Token);
        ReadOnlyMemory<byte> result = default;
        Func<Task> perform = async () => result = await call(lease.Performer, context);
        // On its own: a method that gives no task, or blocks before its first await, must not delay the time-out.
        Task performing = outside.RunAsync(() => AttemptAsync(context, perform));
        try
        {
            // One that does not listen to its token is left alone: the receiver knows by the id that the next attempt is the same.
            await performing.WaitAsync(running.Withdrawn).WaitAsync(limit, settings.Time);
        }
        catch (TimeoutException) when (performing.IsCompleted)
        {
            await performing; // It failed with that, or ended just when its time was over: either way its own end counts.
        }
        catch (TimeoutException error)
        {
            throw new TimeoutException($"The attempt took longer than {limit}.", error); // Whatever it says to its token is no outcome.
        }
        finally
        {
            if (!performing.IsCompleted)
            {
                RunningEffect.Cancel(given, settings.Logger); // Its source is disposed below, and nothing may tell it any more.
                abandoned.Add($"{effect.Contract.InterfaceName}.{method.Name}", performing);
            }

            _ = settings.Effects.Performers.GiveBackAsync(lease, performing);
        }

        return result;
    }

    private async Task AttemptAsync(EffectContext context, Func<Task> perform)
    {
        TurnCulture.Set(settings.Culture, settings.UICulture); // Ends with this method: the thread's own is none of its business.
        await (settings.Effects.Around is { } around ? around(context, perform) : perform());
    }
}
