using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Reads what the app sends. Outputs stay in the pipe until the mark that ends their turns arrives and are then released as a whole
/// (exactly-once.md H8); an app that dies in a turn leaves nothing of it behind.
/// </summary>
/// <param name="input">From the app.</param>
/// <param name="services">What outlives the connection.</param>
/// <param name="events">Receives what it says beside its outputs.</param>
/// <param name="ended">Ends what waits for room.</param>
/// <param name="before">What has read the same stream up to here; null if nothing has.</param>
internal abstract class AppInbox(PipeReader input, AppServices services, IAppEvents events, CancellationToken ended,
    AppInbox? before = null)
{
    private readonly List<(string Destination, long Offset, long Length, int Count, bool HasExceptions)> _open = [];
    private readonly Dictionary<ulong, string> _destinations = before?._destinations ?? [];
    private long _openBytes;

    /// <summary>Turns so large that part of them was released before they ended: they can never be skipped.</summary>
    public long EscapedTurns { get; private set; }

    /// <summary>True while part of a turn that has not ended was released.</summary>
    public virtual bool EscapedOpenTurn { get; protected set; }

    /// <summary>Receives what the app says.</summary>
    protected IAppEvents Events => events;

    /// <summary>Where outputs go.</summary>
    protected OutboundRouter Router => services.Router;

    /// <summary>What is accepted.</summary>
    protected AppLimits Limits => services.Limits;

    /// <summary>Ends what waits for room.</summary>
    protected CancellationToken Ended => ended;

    /// <summary>Whether outputs have come whose turn has not ended.</summary>
    protected bool HasOpenTurn => _open.Count > 0;

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
                    if (_openBytes <= Limits.MaxTurnBytes)
                    {
                        continue;
                    }

                    await LetEscapeAsync(buffer);
                }
                else if (message.Type == BindingMessageType.Checkpoint)
                {
                    await TakeCheckpointAsync(message, buffer.GetPosition(scanned));
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

                consumed = _open.Count == 0 ? scanned : consumed;
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

    /// <summary>Deals with a message that is neither outputs nor a checkpoint.</summary>
    /// <param name="message">The message.</param>
    /// <param name="buffer">What holds the outputs of the open turn.</param>
    protected abstract ValueTask TakeAsync(AppMessage message, ReadOnlySequence<byte> buffer);

    /// <summary>Reads the message that begins at <paramref name="scanned"/>; false while it is not there as a whole.</summary>
    protected virtual bool TryRead(in ReadOnlySequence<byte> buffer, ref long scanned, out AppMessage message) =>
        AppMessage.TryRead(buffer.Slice(scanned), Limits.MaxMessageBytes, out message);

    /// <summary>Gives a name to the index of a destination.</summary>
    protected void DefineDestination(in AppMessage message)
    {
        DestinationName destination = DestinationName.Read(message.ToArray());
        _destinations[destination.Index] = Router.Resolve(destination.Name);
        if (_destinations.Count > FrameLimits.DestinationIndexes)
        {
            throw new ProtocolException(
                $"more than {FrameLimits.DestinationIndexes} indexes of destinations: a binding with more destinations defines one again",
                0);
        }
    }

    private async ValueTask LetEscapeAsync(ReadOnlySequence<byte> buffer)
    {
        EscapedTurns++;
        Limits.TurnEscapes();
        EscapedOpenTurn = true;
        await ReleaseAsync(buffer);
    }

    private async ValueTask TakeCheckpointAsync(AppMessage message, SequencePosition content)
    {
        RequireClosedTurn(message);
        long size = ReadCheckpointSize(message);
        input.AdvanceTo(content);
        await events.CheckpointAsync(input, size);
    }

    private static long ReadCheckpointSize(in AppMessage message)
    {
        var reader = new ByteReader(message.ToArray());
        long size = reader.ReadZigZag("checkpoint size");
        reader.ExpectEnd("checkpoint message");
        return size >= 0 ? size : throw new ProtocolException($"checkpoint of {size} bytes", 0);
    }

    /// <summary>Throws unless all turns have ended.</summary>
    protected void RequireClosedTurn(in AppMessage message)
    {
        if (_open.Count > 0)
        {
            throw new ProtocolException($"{message.Type} inside an open turn", 0);
        }
    }

    private void Open(in AppMessage message, in ReadOnlySequence<byte> buffer, long start)
    {
        (string destination, ReadOnlySequence<byte> run, int declared) = ReadRun(message);
        (int count, int replayable) = MessageRun.Count(run, (int)Limits.MaxMessageBytes, Router.OriginOf(destination), out int exceptions);
        if (count != declared || replayable != count)
        {
            throw new ProtocolException($"Outputs says {declared} replayable messages, holds {replayable} of {count}", 0);
        }

        long offset = start + message.TotalSize - run.Length;
        _open.Add((destination, offset, run.Length, count, exceptions > 0));
        _openBytes += run.Length;
    }

    /// <summary>Reads a run of messages to one destination.</summary>
    protected (string Destination, ReadOnlySequence<byte> Messages, int Count) ReadRun(in AppMessage message)
    {
        RunHeader header = RunHeader.Read(message.Data, out ReadOnlySequence<byte> messages);
        return _destinations.TryGetValue(header.Destination, out string? destination)
            ? (destination, messages, header.Count)
            : throw new ProtocolException($"destination {header.Destination} was not defined", 0);
    }

    /// <summary>Releases all outputs that have come.</summary>
    protected async ValueTask ReleaseAsync(ReadOnlySequence<byte> buffer)
    {
        foreach ((string destination, long offset, long length, int count, bool hasExceptions) in _open)
        {
            await Router.RouteAsync(destination, buffer.Slice(offset, length), count, hasExceptions, ended);
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
}
