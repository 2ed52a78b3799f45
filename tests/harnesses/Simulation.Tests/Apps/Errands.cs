using Ambrosia.Runtime;

namespace Ambrosia.Simulation.Tests;

/// <summary>What a walker asks of the outside.</summary>
internal static class Errands
{
    private const string Bound = "which is its bound";
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(800);

    /// <summary>One step of a handler.</summary>
    public static DurableTask RunAsync(Walker walker, ulong id, EffectStep step)
    {
        switch (step)
        {
            case EffectStep.Mail:
                Mail(walker, id);
                return default;
            case EffectStep.PayTwice:
                return DurableTask.WhenAll(PayAsync(walker, Bits.Mix(id, 1)), PayAsync(walker, Bits.Mix(id, 2)));
            case EffectStep.Ship:
                return ShipAsync(walker, id);
            case EffectStep.PayInTime:
                return PayInTimeAsync(walker, id, cancels: false);
            case EffectStep.PayOrCancel:
                return PayInTimeAsync(walker, id, cancels: true);
            default:
                return PayAsync(walker, id);
        }
    }

    private static void Mail(Walker walker, ulong id)
    {
        try
        {
            walker.Outside().MailFork(id);
            Asks(walker, nameof(IOutside.Mail), id);
        }
        catch (InvalidOperationException full) when (full.Message.Contains(Bound, StringComparison.Ordinal))
        {
            HasNoRoom(walker, id);
        }
    }

    private static async DurableTask PayAsync(Walker walker, ulong id)
    {
        bool right;
        try
        {
            DurableTask<byte[]> paid = walker.Outside().PayAsync(id);
            Asks(walker, nameof(IOutside.Pay), id);
            walker.Awaits(id);
            right = Takes(walker, id, SimOutside.NumberOf(await paid));
            walker.DieOfAnswer(id);
        }
        catch (InvalidOperationException full) when (full.Message.Contains(Bound, StringComparison.Ordinal))
        {
            HasNoRoom(walker, id);
            return;
        }
        catch (Exception failed) when (IsAnswer(failed))
        {
            right = IsRightFailure(walker, id, failed);
        }

        walker.Resumed(id, right);
    }

    // One that nobody waits for, and behind it one that begins when that has ended.
    private static async DurableTask ShipAsync(Walker walker, ulong id)
    {
        bool right;
        try
        {
            ulong first = Bits.Mix(id, 1);
            walker.Outside().ShipFork(first);
            Asks(walker, nameof(IOutside.Ship), first);
            DurableTask<ulong> shipped = walker.Outside().ShipAsync(id);
            Asks(walker, nameof(IOutside.Ship), id);
            walker.Awaits(id);
            right = Takes(walker, id, await shipped);
            walker.DieOfAnswer(id);
        }
        catch (InvalidOperationException full) when (full.Message.Contains(Bound, StringComparison.Ordinal))
        {
            HasNoRoom(walker, id);
            return;
        }
        catch (Exception failed) when (IsAnswer(failed))
        {
            right = IsRightFailure(walker, id, failed);
        }

        walker.Resumed(id, right);
    }

    private static async DurableTask PayInTimeAsync(Walker walker, ulong id, bool cancels)
    {
        var cancellation = new DurableCancellation();
        bool right;
        try
        {
            DurableTask<byte[]> paid = walker.Outside(cancellation).PayAsync(id);
            Asks(walker, nameof(IOutside.Pay), id);
            walker.Awaits(id);
            right = Takes(walker, id, SimOutside.NumberOf(await paid.WithTimeout(s_longestWait * (Bits.Mix(id, 3) % 100) / 100)));
        }
        catch (InvalidOperationException full) when (full.Message.Contains(Bound, StringComparison.Ordinal))
        {
            HasNoRoom(walker, id);
            return;
        }
        catch (TimeoutException)
        {
            right = true; // The wait has ended, and the effect has not.
            if (cancels)
            {
                walker.Host.Oracle.Sometimes(Sighting.EffectCancelled);
                walker.Host.Oracle.Effects.Cancelled(walker.Host.Name, id, walker.Runtime.Clock.Position);
                cancellation.Cancel();
            }
        }
        catch (Exception failed) when (IsAnswer(failed))
        {
            right = IsRightFailure(walker, id, failed);
        }

        walker.Resumed(id, right);
    }

    private static void Asks(Walker walker, string method, ulong id)
    {
        EffectKey key = walker.Host.Ordinals.Next(walker.Runtime.Clock);
        walker.Host.Oracle.Effects.Asked(walker.Host.Name, key, new AskedEffect(method, id, walker.Runtime.Clock.LogTime));
    }

    private static bool Takes(Walker walker, ulong id, ulong receipt)
    {
        walker.Counts(receipt);
        return walker.Host.Oracle.Effects.Takes(walker.Host.Name, id, receipt, walker.Runtime.Clock.Position);
    }

    private static void HasNoRoom(Walker walker, ulong id)
    {
        walker.Counts(id + 2);
        walker.Host.Oracle.Sometimes(Sighting.EffectsFull);
        int pending = walker.Runtime.Effects.Count;
        walker.Host.Oracle.Require(pending == EffectPlan.MaxPending, $"{walker.Host.Name}: refuses an effect with {pending} pending (E17)");
    }

    private static bool IsAnswer(Exception failed) =>
        failed is RemoteException or MessageSkippedException or EffectResultException or EffectGivenUpException;

    private static bool IsRightFailure(Walker walker, ulong id, Exception failed)
    {
        walker.Counts(Bits.Hash(failed.GetType().Name));
        switch (failed)
        {
            case EffectGivenUpException:
                return walker.Host.Oracle.Effects.MayBeGivenUp(walker.Host.Name, id);
            case EffectResultException:
                walker.Host.Oracle.Sometimes(Sighting.EffectResultTooLarge);
                return walker.Host.Oracle.Effects.WasPerformed(walker.Host.Name, id);
            case MessageSkippedException:
                walker.Host.Oracle.Sometimes(Sighting.EffectOutcomeSkipped);
                return walker.Host.Oracle.IsSkipped(walker.Host.Name, walker.Runtime.Clock.Position);
            default:
                return failed.Message == $"{id}" && walker.Host.Oracle.Effects.WasRefused(walker.Host.Name, id);
        }
    }
}
