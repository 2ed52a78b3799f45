using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Reads what the app sends. On version 2, outputs stay in the pipe until the Progress that ends their turns arrives and are then
/// released as a whole (exactly-once.md H8); an app that dies in a turn leaves nothing of it behind. The published protocol has
/// no such mark: there each message counts as it comes. <paramref name="before"/>: who has read the same stream up to here.
/// </summary>
internal sealed class AppInbox(PipeReader input, bool version2, AppLimits limits, OutboundRouter router, IAppEvents events, CancellationToken ended, AppInbox? before = null)
{
    private readonly LegacyBatch _batch = new();
    private readonly List<(string Destination, long Offset, long Length, int Count, bool HasExceptions)> _open = [];
    private readonly Dictionary<ulong, string> _destinations = before?._destinations ?? [];
    private long _openBytes;

    /// <summary>Turns so large that part of them was released before they ended: they can never be skipped.</summary>
    public long EscapedTurns { get; private set; }

    /// <summary>True while part of a turn that has not ended was released.</summary>
    public bool EscapedOpenTurn { get; private set; }

    /// <summary>Reads until the app closes its stream.</summary>
    /// <exception cref="ProtocolException">The app broke a rule.</exception>
    public async Task ReadAsync()
    {
        long scanned = 0;
        while (true)
        {
            ReadResult result = await input.ReadAsync();
            if (result.IsCanceled)
            {
                return;
            }

            ReadOnlySequence<byte> buffer = result.Buffer;
            long consumed = 0;
            while (TryRead(buffer, ref scanned, out AppMessage message))
            {
                long start = scanned;
                scanned += message.TotalSize;
                if (message.Type == BindingMessageType.Outputs)
                {
                    Open(message, buffer, start);
                    if (_openBytes <= limits.MaxTurnBytes)
                    {
                        continue;
                    }

                    EscapedTurns++;
                    limits.TurnEscapes();
                    EscapedOpenTurn = true;
                    await ReleaseAsync(buffer);
                }
                else if (message.Type == BindingMessageType.Checkpoint)
                {
                    RequireClosedTurn(message);
                    long size = ReadCheckpointSize(message);
                    input.AdvanceTo(buffer.GetPosition(scanned));
                    await events.CheckpointAsync(input, size);
                    if (events.HasHandedOver)
                    {
                        return;
                    }

                    (scanned, consumed) = (0, -1);
                    break;
                }
                else
                {
                    await TakeAsync(message, buffer);
                }

                if (_open.Count == 0)
                {
                    consumed = scanned;
                }
            }

            if (consumed < 0)
            {
                continue;
            }

            input.AdvanceTo(buffer.GetPosition(consumed), buffer.End);
            Shift(consumed);
            scanned -= consumed;
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    // A batch of the published protocol may be larger than any message, and its messages count one by one: only its head is read as a
    // whole.
    private bool TryRead(in ReadOnlySequence<byte> buffer, ref long scanned, out AppMessage message)
    {
        message = default;
        if ((!version2 && !_batch.PassHead(buffer, ref scanned))
            || !AppMessage.TryRead(buffer.Slice(scanned), limits.MaxMessageBytes, out message))
        {
            return false;
        }

        _batch.Take(message);
        return true;
    }

    private static long ReadCheckpointSize(in AppMessage message)
    {
        var reader = new ByteReader(message.ToArray());
        long size = reader.ReadZigZag("checkpoint size");
        reader.ExpectEnd("checkpoint message");
        return size >= 0 ? size : throw new ProtocolException($"checkpoint of {size} bytes", 0);
    }

    private void RequireClosedTurn(in AppMessage message)
    {
        if (_open.Count > 0)
        {
            throw new ProtocolException($"{message.Type} inside an open turn", 0);
        }
    }

    private void Open(in AppMessage message, in ReadOnlySequence<byte> buffer, long start)
    {
        (string destination, ReadOnlySequence<byte> run, int declared) = ReadRun(message);
        (int count, int replayable) = MessageRun.Count(run, (int)limits.MaxMessageBytes, router.OriginOf(destination), out int exceptions);
        if (count != declared || replayable != count)
        {
            throw new ProtocolException($"Outputs says {declared} replayable messages, holds {replayable} of {count}", 0);
        }

        long offset = start + message.TotalSize - run.Length;
        _open.Add((destination, offset, run.Length, count, exceptions > 0));
        _openBytes += run.Length;
    }

    private (string Destination, ReadOnlySequence<byte> Messages, int Count) ReadRun(in AppMessage message)
    {
        RunHeader header = RunHeader.Read(message.Data, out ReadOnlySequence<byte> messages);
        return _destinations.TryGetValue(header.Destination, out string? destination)
            ? (destination, messages, header.Count)
            : throw new ProtocolException($"destination {header.Destination} was not defined", 0);
    }

    private async ValueTask ReleaseAsync(ReadOnlySequence<byte> buffer)
    {
        foreach ((string destination, long offset, long length, int count, bool hasExceptions) in _open)
        {
            await router.RouteAsync(destination, buffer.Slice(offset, length), count, hasExceptions, ended);
        }

        _open.Clear();
        _openBytes = 0;
    }

    private void Shift(long consumed)
    {
        for (int i = 0; consumed > 0 && i < _open.Count; i++)
        {
            _open[i] = _open[i] with { Offset = _open[i].Offset - consumed };
        }
    }

    private async ValueTask TakeAsync(AppMessage message, ReadOnlySequence<byte> buffer)
    {
        switch (message.Type)
        {
            case BindingMessageType.Progress when version2:
                EscapedOpenTurn |= _open.Count > 0; // Until all of it is released: that may have to wait, and the app may die.
                await ReleaseAsync(buffer);
                EscapedOpenTurn = false;
                events.Progressed(Progress.Read(message.ToArray()));
                break;
            case BindingMessageType.Destination when version2:
                DefineDestination(message);
                break;
            case BindingMessageType.Impulses when version2:
                RequireClosedTurn(message);
                await TakeImpulsesAsync(message);
                break;
            case BindingMessageType.InitialMessage:
                events.InitialMessage(message.ToArray());
                break;
            case BindingMessageType.BecomingPrimary when version2:
                events.BecamePrimary();
                break;
            case BindingMessageType.TakeCheckpoint:
                events.CheckpointWanted();
                break;
            case BindingMessageType.CheckpointDeclined when version2:
                events.CheckpointDeclined(CheckpointDeclined.Read(message.ToArray()));
                break;
            case BindingMessageType.HandlerFault when version2:
                events.HandlerFaulted(message.ToArray());
                break;
            case BindingMessageType.TurnRunning when version2:
                events.TurnIsRunning(message.ToArray());
                break;
            case BindingMessageType.StateReply when version2:
                events.StateTold(message.ToArray());
                break;
            case BindingMessageType.QueryReply when version2:
                events.QueryAnswered(message.ToArray());
                break;
            case BindingMessageType.StateVersion when version2:
                events.VersionTold(StateVersion.Read(message.ToArray()));
                break;
            case BindingMessageType.BuildCompared when version2:
                events.BuildTold(BuildCompared.Read(message.ToArray()));
                break;
            case BindingMessageType.Contract when version2:
                await events.ContractToldAsync(BindingContract.Read(message.ToArray()));
                break;
            case BindingMessageType.Effects when version2:
                events.EffectsWereTold(EffectsTold.Read(message.ToArray()));
                break;
            case BindingMessageType.Routines when version2:
                events.RoutinesWereTold(RoutinesTold.Read(message.ToArray()));
                break;
            case BindingMessageType.UpgradeFailed when version2:
                events.UpgradeFailed(UpgradeFailure.Read(message.ToArray()));
                break;
            case BindingMessageType.Goodbye when version2:
                events.Leaving(new ByteReader(message.ToArray()).ReadString(FrameLimits.HandshakeString, "goodbye reason"));
                break;
            case BindingMessageType.Drain when version2:
                events.LeaveWanted(new ByteReader(message.ToArray()).ReadString(FrameLimits.HandshakeString, "drain reason"));
                break;
            case BindingMessageType.Heartbeat when version2:
                events.GaveSignOfLife();
                break;
            case BindingMessageType.AttachTo:
                break;
            case BindingMessageType.Ping when !version2:
                events.Pinged(message.ToArray());
                break;
            case BindingMessageType.PingReturn when !version2:
                break; // Nobody but this coordinator answers pings, so nobody waits for it.
            case BindingMessageType.Rpc when !version2:
                await TakeLegacyAsync(message.ToArray());
                break;
            default:
                // Types of later versions are skipped by their size; those below 64 were never the app's to send.
                if ((byte)message.Type < (byte)BindingMessageType.Hello || !version2)
                {
                    throw new ProtocolException($"message of type {(byte)message.Type} from an app", 0);
                }

                break;
        }
    }

    private void DefineDestination(in AppMessage message)
    {
        DestinationName destination = DestinationName.Read(message.ToArray());
        _destinations[destination.Index] = router.Resolve(destination.Name);
        if (_destinations.Count > FrameLimits.DestinationIndexes)
        {
            throw new ProtocolException($"more than {FrameLimits.DestinationIndexes} indexes of destinations: a binding with more destinations defines one again", 0);
        }
    }

    private async ValueTask TakeImpulsesAsync(AppMessage message)
    {
        events.RequirePrimary();
        (string destination, ReadOnlySequence<byte> run, int declared) = ReadRun(message);
        (int count, int replayable) = MessageRun.Count(run, (int)limits.MaxMessageBytes, router.OriginOf(destination));
        if (count != declared || replayable != 0)
        {
            throw new ProtocolException($"Impulses says {declared} impulses, holds {count - replayable} of {count}", 0);
        }

        await router.RouteImpulsesAsync(destination, run, count, ended);
    }

    /// <summary>Turns an outgoing RPC (destination in front) into delivery form.</summary>
    private async ValueTask TakeLegacyAsync(byte[] data)
    {
        (string destination, byte[] message, bool impulse) = ToDeliveryForm(data);
        var run = new ReadOnlySequence<byte>(message);
        MessageRun.Count(run, int.MaxValue, router.OriginOf(destination));
        if (impulse)
        {
            events.RequirePrimary();
            await router.RouteImpulsesAsync(destination, run, 1, ended);
        }
        else
        {
            await router.RouteAsync(destination, run, 1, hasExceptions: false, ended); // The published protocol has no ends of turns, so nothing is compared.
        }
    }

    private (string Destination, byte[] Message, bool Impulse) ToDeliveryForm(byte[] data)
    {
        LegacyDestination outgoing = LegacyDestination.Read(data);
        if (LegacyReply.Is(outgoing.Rpc))
        {
            return (router.Resolve(outgoing.Name), LegacyReply.Read(outgoing.Rpc).ToDeliveryForm(), Impulse: false);
        }

        int size = outgoing.Rpc.Length + 1;
        int prefix = Varint.SizeZigZag(size);
        byte[] message = new byte[prefix + size];
        Varint.WriteZigZag(message, size);
        message[prefix] = (byte)BindingMessageType.Rpc;
        outgoing.Rpc.CopyTo(message.AsSpan(prefix + 1));
        return (router.Resolve(outgoing.Name), message, RpcHeader.IsImpulse(outgoing.Rpc));
    }
}
