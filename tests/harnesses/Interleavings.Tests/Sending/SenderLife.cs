using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>One life of the sending coordinator: the real output buffer and the real link, on a context of their own.</summary>
internal sealed class SenderLife : IPeerFailures, IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PeerOutputLink _link;
    private readonly int _payload;
    private readonly SpillBudget _budget = new(1 << 30);
    private ulong _noted;
    private Task _app = Task.CompletedTask;

    public SenderLife(ulong epoch, SendScript script, IFileSystem files, ModelTime time, ITransport transport, ICatalog catalog)
    {
        (Epoch, _payload) = (epoch, script.Payload);
        var settings = new PeerSettings("", "a", new Guid("00000000-0000-0000-0000-0000000000aa"), epoch, 1 << 24, TimeSpan.FromSeconds(1),
            time, NullLogger.Instance);
        Buffer = new OutputBuffer("b", new OutputMemory(script.MemoryLimit), new SpillFile(files, $"/scratch{epoch}", "b", _budget));
        _link = new PeerOutputLink(Buffer, settings, transport, catalog, new ReconnectPolicy(time, static () => 0, _stop.Token), this);
    }

    public SingleContext Context { get; } = new();

    public OutputBuffer Buffer { get; }

    public ulong Epoch { get; }

    /// <summary>Everything that was appended, in order.</summary>
    public List<ModelMessage> Appended { get; } = [];

    /// <summary>A trim that the own log would hold by now.</summary>
    public (ulong Number, ulong ReceiverEpoch) LoggedTrim { get; private set; }

    /// <summary>Bytes that its scratch files hold; nothing once everything was confirmed.</summary>
    public long Spilled => Math.Max(_budget.Used, Buffer.SpilledBytes);

    public bool AppIsBusy => !_app.IsCompleted;

    public string? Violation { get; private set; }

    public void Die()
    {
        Context.Dead = true;
        _stop.Cancel();
    }

    /// <summary>What recovery does with a checkpoint and the trims behind it. As in a coordinator, nobody is dialled before that is done,
    /// and the app's part of it comes after.</summary>
    public void Recover(ModelCheckpoint checkpoint, (ulong Number, ulong ReceiverEpoch) trim) => Act(async () =>
    {
        Buffer.Restore(checkpoint.Streamed, checkpoint.Trimmed, checkpoint.ReceiverEpoch, checkpoint.ReceiverEpoch == 0 ? Guid.Empty
            : ModelReceiver.Id);
        foreach ((ulong number, int count, byte[] messages) in checkpoint.Entries)
        {
            Note(number, count);
            await Buffer.RestoreEntryAsync(new ReadOnlySequence<byte>(messages), number, count);
        }

        if (trim.Number > checkpoint.Trimmed)
        {
            Buffer.AcceptReceiver(trim.ReceiverEpoch, ModelReceiver.Id);
            Buffer.TrimTo(new Watermark(trim.Number, trim.Number, 0), Epoch);
        }

        LoggedTrim = (Buffer.Trimmed, Buffer.ReceiverEpoch);
        Context.Run(_link.RunAsync);
        await ReattachAsync(checkpoint);
    });

    /// <summary>
    /// A new app is restored from a checkpoint, which may be ahead of what its predecessor had handed over (docs/internals/exactly-once.md
    /// H5).
    /// </summary>
    public void Reattach(ModelCheckpoint checkpoint) => Act(() => ReattachAsync(checkpoint));

    public void Send(int count) => Act(async () =>
    {
        ulong first = Buffer.Streamed + 1;
        Note(first, count);
        await Buffer.AppendAsync(new ReadOnlySequence<byte>(ModelMessage.ToBytes(first, count, _payload)), count);
    });

    public void SendImpulse(ModelMessage impulse) => Act(async () =>
    {
        Appended.Add(impulse);
        await Buffer.AppendImpulsesAsync(new ReadOnlySequence<byte>(impulse.ToBytes(_payload)), 1);
    });

    /// <summary>Cuts a checkpoint as the coordinator does: the snapshot at once, the bytes as they can be read.</summary>
    public void TakeCheckpoint(Action<ModelCheckpoint> done) => Act(async () =>
    {
        var checkpoint = new ModelCheckpoint { Streamed = Buffer.Streamed, Trimmed = Buffer.Trimmed, ReceiverEpoch = Buffer.ReceiverEpoch };
        foreach (OutputSlice slice in Buffer.SnapshotStreamed())
        {
            ReadOnlyMemory<byte> bytes = await slice.Entry.Chunk.PinAsync(slice.Entry.Offset, slice.Entry.Length);
            bytes = bytes[MessageRun.OffsetOf(bytes.Span, slice.Skipped)..];
            bytes = slice.Whole ? bytes : bytes[..MessageRun.OffsetOf(bytes.Span, slice.Count)];
            checkpoint.Entries.Add((slice.Number, slice.Count, bytes.ToArray()));
            slice.Entry.Chunk.Unpin();
            slice.Entry.Chunk.Release();
        }

        done(checkpoint);
    });

    void IPeerFailures.Accused(string destination, string evidence) => Violation ??= $"the newest sender was fenced: {evidence}";

    void IPeerFailures.LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed) =>
        Violation ??= $"asked for message {has + 1}, trimmed to {confirmed} (D7)";

    bool IPeerFailures.MayFollow(OutputBuffer buffer, ulong replayable) => true;

    void IPeerFailures.Answered(OutputBuffer buffer) => buffer.Named();

    void IPeerFailures.Trimmed(OutputBuffer buffer) => LoggedTrim = (buffer.Trimmed, buffer.ReceiverEpoch);

    public void Dispose() => _stop.Dispose();

    private void Note(ulong first, int count)
    {
        for (ulong number = first; number < first + (ulong)count; number++)
        {
            if (number > _noted)
            {
                Appended.Add(new ModelMessage(_noted = number, Impulse: false));
            }
        }
    }

    private void Act(Func<Task> act)
    {
        var done = new TaskCompletionSource();
        _app = done.Task;
        Context.Run(async () =>
        {
            await act();
            done.SetResult();
        });
    }

    private async Task ReattachAsync(ModelCheckpoint checkpoint)
    {
        Buffer.BeginReattach(checkpoint.Trimmed, checkpoint.ReceiverEpoch);
        foreach ((ulong number, int count, byte[] messages) in checkpoint.Entries)
        {
            Note(number, count);
            await Buffer.MergeEntryAsync(new ReadOnlySequence<byte>(messages), number, count);
        }

        Buffer.EndReattach(checkpoint.Streamed);
    }
}
