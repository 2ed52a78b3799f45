using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// The end of a clean stop: a checkpoint if the app has executed messages since the last one, within the time that there is for it, and
/// nothing after it.
/// So the next start has nothing to execute again.
/// </summary>
internal sealed class Departure(AppServices services, AppDelivery delivery, CheckpointExchange checkpoints, AppSession session)
{
    private Task? _taking;

    /// <summary>Completes when the app that asked may leave.</summary>
    public Task? Leaving { get; private set; }

    /// <summary>The app asks whether it may leave; it is answered once.</summary>
    public void Ask(string reason) => Leaving ??= LetLeaveAsync(reason);

    /// <summary>The coordinator asks the app to leave, after the checkpoint.</summary>
    public async Task DrainAsync(string reason)
    {
        await (_taking ??= TakeCheckpointAsync());
        Send(BindingMessageType.Drain, reason);
    }

    /// <summary>
    /// Takes the checkpoint, if one is due and this replica leaves one. Returns when it has its name, or none is to be had in time.
    /// </summary>
    private async Task TakeCheckpointAsync()
    {
        if (!IsDue)
        {
            return;
        }

        using var limit = new CancellationTokenSource(services.CheckpointOnStop, services.Time);
        try
        {
            Task<bool> leaves = services.Checkpoints.LeavesOneAsync(() => delivery.DeliveredMessages).AsTask();
            await FirstOf.OrCancelAsync(leaves, limit.Token);
            if (!await leaves || !IsDue)
            {
                return;
            }

            checkpoints.WantLast();
            delivery.Wake();
            while (!session.Ended && !(checkpoints.LastIsAsked && !checkpoints.Busy))
            {
                await FirstOf.OrCancelAsync(session.Moved.WaitAsync(), limit.Token);
            }
        }
        catch (OperationCanceledException)
        {
            CoreLog.NoCheckpointOnStop(services.Logger, services.CheckpointOnStop.TotalSeconds);
        }
    }

    // What an app has executed that replays, or that is held for an upgrade, is in the log and has no later state that could be saved.
    private bool IsDue =>
        session is { Converses: true, Ended: false, Held: false } && (session.IsPrimary || services.Position.Follows)
        && services.Position.HasCheckpoint && services.CheckpointOnStop > TimeSpan.Zero && delivery.DeliveredMessages > checkpoints.Newest;

    private async Task LetLeaveAsync(string reason)
    {
        await (_taking ??= TakeCheckpointAsync());
        Send(BindingMessageType.Goodbye, reason);
    }

    private void Send(BindingMessageType type, string reason)
    {
        var data = new ArrayBufferWriter<byte>(64);
        new ByteWriter(data).WriteString(reason);
        delivery.Send(type, data.WrittenSpan.ToArray());
    }
}
