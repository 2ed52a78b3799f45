using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Puts what the app sends into the buffer of its destination and watches that replay sends what the log says (G4). Without buffers it
/// only watches.
/// </summary>
/// <param name="self">Name of the instance.</param>
/// <param name="outputs">The buffers; null: none.</param>
/// <param name="spill">The scratch space.</param>
/// <param name="check">Compares what is sent.</param>
/// <param name="outside">Takes what is sent to the outside; null with no buffers.</param>
internal sealed class OutboundRouter(string self, OutputTable? outputs, SpillBudget spill, ReplayCheck check,
    OutsideAnswers? outside = null)
{
    /// <summary>Messages taken from the app so far.</summary>
    public long Messages { get; private set; }

    /// <summary>Sees what leaves for other instances; null: nobody does.</summary>
    public IMessageTracer? Tracer { get; init; }

    public string Resolve(string destination)
    {
        if (destination.Length == 0)
        {
            return self;
        }

        return InstanceName.IsValid(destination)
            ? destination
            : throw new ProtocolException($"'{destination}' is not an instance name", 0);
    }

    /// <summary>Whether a run to that destination leaves the instance.</summary>
    public RunOrigin OriginOf(string destination) => destination == self ? RunOrigin.Own : RunOrigin.Foreign;

    /// <summary>
    /// Takes replayable messages, and whether replies with exceptions are among them. Waits while their destination has used up its share
    /// of the scratch space.
    /// </summary>
    public async ValueTask RouteAsync(string destination, ReadOnlySequence<byte> messages, int count, bool hasExceptions,
        CancellationToken cancellationToken)
    {
        check.Sent(destination, messages, count, hasExceptions);
        Messages += count;
        if (outputs is null)
        {
            return;
        }

        if (destination == OutsideNames.Caller)
        {
            outside!.Take(messages);
            return;
        }

        Failpoint.Pass("K10");
        OutputBuffer buffer = outputs.Get(destination);
        if (buffer.Stores(count)) // Else it was sent before, and an app that has come again need not wait for room.
        {
            await WaitForSpaceAsync(buffer, cancellationToken);
            if (destination != self)
            {
                Tracer?.Sent(destination, buffer.Streamed + (ulong)count, messages);
            }
        }

        await buffer.AppendAsync(messages, count);
    }

    /// <summary>Takes impulses.</summary>
    public async ValueTask RouteImpulsesAsync(string destination, ReadOnlySequence<byte> messages, int count,
        CancellationToken cancellationToken)
    {
        Messages += count;
        if (destination == OutsideNames.Caller)
        {
            return; // Nobody is there.
        }

        OutputBuffer buffer = outputs!.Get(destination);
        await WaitForSpaceAsync(buffer, cancellationToken);
        await buffer.AppendImpulsesAsync(messages, count);
    }

    /// <summary>All turns that sent anything so far have ended; the last one was of this record.</summary>
    public void TurnsEnded(ulong lsn) => outside?.TurnsEnded(lsn);

    /// <summary>The app has gone, maybe within a turn.</summary>
    public void AppGone() => outside?.Drop();

    // Before, not after: an app that sends no more to one that is away goes on.
    private ValueTask WaitForSpaceAsync(OutputBuffer buffer, CancellationToken cancellationToken) =>
        spill.IsUsedUp(buffer.SpilledBytes) ? new ValueTask(spill.WaitForSpaceAsync(buffer, cancellationToken)) : default;
}
