using System.Buffers;
using Ambrosia.ImmortalCoordinator.Failpoints;
using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Application;

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

    /// <summary>Takes replayable messages, and whether replies with exceptions are among them. Waits while the scratch files are at their limit.</summary>
    public async ValueTask RouteAsync(string destination, ReadOnlySequence<byte> messages, int count, bool hasExceptions, CancellationToken cancellationToken)
    {
        check.Sent(destination, messages, count, hasExceptions);
        Messages += count;
        if (outputs is null)
        {
            return;
        }

        Failpoint.Pass("K10");
        await outputs.Get(destination).AppendAsync(messages, count);
        if (spill.Exhausted)
        {
            await spill.WaitForSpaceAsync(cancellationToken);
        }
    }

    /// <summary>Takes impulses.</summary>
    public async ValueTask RouteImpulsesAsync(string destination, ReadOnlySequence<byte> messages, int count, CancellationToken cancellationToken)
    {
        Messages += count;
        await outputs!.Get(destination).AppendImpulsesAsync(messages, count);
        if (spill.Exhausted)
        {
            await spill.WaitForSpaceAsync(cancellationToken);
        }
    }
}
