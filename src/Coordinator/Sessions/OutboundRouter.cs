using System.Buffers;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>Puts what the app sends into the buffer of its destination and watches that replay sends what the log says (G4). Without buffers it only watches.</summary>
internal sealed class OutboundRouter(string self, OutputTable? outputs, SpillBudget spill, ReplayCheck check)
{
    /// <summary>Messages taken from the app so far.</summary>
    public long Messages { get; private set; }

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
    /// Takes replayable messages, and whether replies with exceptions are among them. Waits while their destination has used up its share of the scratch space.
    /// </summary>
    public async ValueTask RouteAsync(string destination, ReadOnlySequence<byte> messages, int count, bool hasExceptions, CancellationToken cancellationToken)
    {
        check.Sent(destination, messages, count, hasExceptions);
        Messages += count;
        if (outputs is null)
        {
            return;
        }

        Failpoint.Pass("K10");
        OutputBuffer buffer = outputs.Get(destination);
        if (buffer.Stores(count)) // Else it was sent before, and an app that has come again need not wait for room.
        {
            await WaitForSpaceAsync(buffer, cancellationToken);
        }

        await buffer.AppendAsync(messages, count);
    }

    /// <summary>Takes impulses.</summary>
    public async ValueTask RouteImpulsesAsync(string destination, ReadOnlySequence<byte> messages, int count, CancellationToken cancellationToken)
    {
        Messages += count;
        OutputBuffer buffer = outputs!.Get(destination);
        await WaitForSpaceAsync(buffer, cancellationToken);
        await buffer.AppendImpulsesAsync(messages, count);
    }

    // Before, not after: an app that sends no more to one that is away goes on.
    private ValueTask WaitForSpaceAsync(OutputBuffer buffer, CancellationToken cancellationToken) =>
        spill.IsUsedUp(buffer.SpilledBytes) ? new ValueTask(spill.WaitForSpaceAsync(buffer, cancellationToken)) : default;
}
