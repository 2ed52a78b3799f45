using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Reads what an app of the published protocol sends. That has no mark for the end of a turn: each message counts as it comes.
/// </summary>
/// <inheritdoc cref="AppInbox"/>
internal sealed class LegacyInbox(PipeReader input, AppServices services, IAppEvents events, CancellationToken ended)
    : AppInbox(input, services, events, ended)
{
    private readonly LegacyBatch _batch = new();

    /// <summary>Always: nobody can say that all of a turn has been seen.</summary>
    public override bool EscapedOpenTurn => true;

    // A batch may be larger than any message, and its messages count one by one: only its head is read as a whole.
    protected override bool TryRead(in ReadOnlySequence<byte> buffer, ref long scanned, out AppMessage message)
    {
        message = default;
        if (!_batch.PassHead(buffer, ref scanned) || !base.TryRead(buffer, ref scanned, out message))
        {
            return false;
        }

        _batch.Take(message);
        return true;
    }

    protected override async ValueTask TakeAsync(AppMessage message, ReadOnlySequence<byte> buffer)
    {
        switch (message.Type)
        {
            case BindingMessageType.InitialMessage:
                Events.InitialMessage(message.ToArray());
                break;
            case BindingMessageType.TakeCheckpoint:
                Events.CheckpointWanted();
                break;
            case BindingMessageType.Ping:
                Events.Pinged(message.ToArray());
                break;
            case BindingMessageType.Rpc:
                await TakeRpcAsync(message.ToArray());
                break;
            case BindingMessageType.AttachTo:
            case BindingMessageType.PingReturn: // Nobody but this coordinator answers pings, so nobody waits for it.
                break;
            default:
                throw new ProtocolException($"message of type {(byte)message.Type} from an app", 0);
        }
    }

    /// <summary>Turns an outgoing RPC (destination in front) into delivery form.</summary>
    private async ValueTask TakeRpcAsync(byte[] data)
    {
        (string destination, byte[] message, bool impulse) = ToDeliveryForm(data);
        var run = new ReadOnlySequence<byte>(message);
        MessageRun.Count(run, int.MaxValue, Router.OriginOf(destination));
        if (impulse)
        {
            Events.RequirePrimary();
            await Router.RouteImpulsesAsync(destination, run, 1, Ended);
        }
        else
        {
            // The published protocol has no ends of turns, so nothing is compared.
            await Router.RouteAsync(destination, run, 1, hasExceptions: false, Ended);
            Events.LegacySent();
        }
    }

    private (string Destination, byte[] Message, bool Impulse) ToDeliveryForm(byte[] data)
    {
        LegacyDestination outgoing = LegacyDestination.Read(data);
        if (LegacyReply.Is(outgoing.Rpc))
        {
            return (Router.Resolve(outgoing.Name), LegacyReply.Read(outgoing.Rpc).ToDeliveryForm(), Impulse: false);
        }

        int size = outgoing.Rpc.Length + 1;
        int prefix = Varint.SizeZigZag(size);
        byte[] message = new byte[prefix + size];
        Varint.WriteZigZag(message, size);
        message[prefix] = (byte)BindingMessageType.Rpc;
        outgoing.Rpc.CopyTo(message.AsSpan(prefix + 1));
        return (Router.Resolve(outgoing.Name), message, RpcHeader.IsImpulse(outgoing.Rpc));
    }
}
