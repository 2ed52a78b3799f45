using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Runtime.ExceptionServices;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Pairs each request for a checkpoint with the app's answer and writes both halves: inputs as of the record it was asked behind,
/// outputs as of the answer's place in the app's stream (docs/internals/exactly-once.md H6). The log goes on meanwhile.
/// </summary>
internal sealed class CheckpointExchange(AppServices services)
{
    private readonly Queue<ExpectedCheckpoint> _expected = new();
    private bool _wanted;
    private bool _due;
    private bool _wantsLast;
    private Lsn _last;

    /// <summary>True from the request until the checkpoint is durable, or was declined.</summary>
    public bool Busy => _expected.Count > 0;

    /// <summary>All of the newest one has come, and the app is not needed for it to get its name.</summary>
    public bool HasAll { get; private set; }

    /// <summary>The build whose first checkpoint is asked for, if one is: the log does not name it yet.</summary>
    public BuildStep? NewBuild { get; set; }

    /// <summary>Whether that build's first checkpoint is durable.</summary>
    public bool IsNewBuildSaved { get; private set; }

    /// <summary>The newest checkpoint that this app has begun with or made: a recovery begins there, or later.</summary>
    public Lsn Newest { get; private set; }

    /// <summary>The app begins with the checkpoint that lies after this record.</summary>
    public void BeginBehind(Lsn lsn) => (_last, Newest) = (lsn, lsn);

    /// <summary>Somebody wants one, wherever the app is.</summary>
    public void Want() => _wanted = true;

    /// <summary>
    /// One is wanted after which this app gets no further record: a recovery then has nothing to execute that this app has executed.
    /// </summary>
    public void WantLast() => (_wanted, _wantsLast) = (true, true);

    /// <summary>True once that one has been asked for.</summary>
    public bool LastIsAsked { get; private set; }

    /// <summary>
    /// Enough has been logged: one is wanted after any record but that of the last one, of which it would only be a copy.
    /// </summary>
    public void BecomeDue() => _due = true;

    /// <summary>Whether the app is to be asked for one after this record.</summary>
    public bool IsWantedBehind(Lsn lsn) => _wanted || (_due && lsn != _last);

    /// <summary>A request was just written after this record.</summary>
    public void Expect(ExpectedCheckpoint expected)
    {
        (_wanted, _due, _last) = (false, false, expected.Lsn);
        (LastIsAsked, HasAll) = (_wantsLast, false);
        _expected.Enqueue(expected);
        services.Checkpoints.WasAsked(expected.Lsn);
    }

    /// <summary>The request was answered by something else.</summary>
    public void Forget() => _expected.Clear();

    /// <summary>
    /// Takes the checkpoint that completes an upgrade. True once a recovery would begin there, and with it the new version is the one:
    /// also if something went wrong behind the moment when the checkpoint got its name, or may have. That the log then tells of an upgrade
    /// is right without the checkpoint, too: a replay converts the state there.
    /// </summary>
    public async ValueTask<bool> ReceiveAsync(PipeReader input, long size, VersionChange upgrade)
    {
        if (await TakeAsync(input, size, upgrade))
        {
            return true;
        }

        try
        {
            CheckpointReader? named = await services.Log.OpenCheckpointAsync(upgrade.At);
            if (named is not null)
            {
                await named.DisposeAsync();
            }

            return named is not null;
        }
        catch (IOException error) when (!Breakage.OfConnection(error))
        {
            return true; // Nobody knows. Were it there, the old version would execute what a recovery by the new one executes again.
        }
    }

    /// <summary>Takes a checkpoint that the app was asked for; false if it could not be written.</summary>
    /// <exception cref="ProtocolException">Nobody asked for a checkpoint.</exception>
    public ValueTask<bool> ReceiveAsync(PipeReader input, long size) => TakeAsync(input, size, null);

    /// <summary>The app cannot save its state now: it has answered, and is asked again when more has been logged.</summary>
    /// <exception cref="ProtocolException">Nobody asked for a checkpoint.</exception>
    public void Decline(string reason)
    {
        if (!_expected.TryDequeue(out ExpectedCheckpoint? expected))
        {
            throw new ProtocolException("a checkpoint was declined that was not asked for", 0);
        }

        services.Checkpoints.Failed(expected.Lsn, $"the app cannot save its state: {reason}");
    }

    /// <summary>
    /// Reads over a checkpoint that was asked for and is not wanted: <paramref name="size"/> bytes at the reader's position.
    /// </summary>
    public static ValueTask DiscardAsync(PipeReader input, long size) => CopyAsync(input, null, size);

    /// <summary>
    /// Takes the app's answer: exactly <paramref name="size"/> bytes at the reader's position, whether they can be written or not.
    /// </summary>
    /// <param name="input">Where the bytes come from.</param>
    /// <param name="size">How many they are.</param>
    /// <param name="upgrade">The upgrade that this checkpoint completes, if it does.</param>
    /// <returns>False if they could not be written.</returns>
    /// <exception cref="ProtocolException">Nobody asked for a checkpoint.</exception>
    private async ValueTask<bool> TakeAsync(PipeReader input, long size, VersionChange? upgrade)
    {
        if (!_expected.TryPeek(out ExpectedCheckpoint? expected))
        {
            throw new ProtocolException("a checkpoint that was not asked for", 0);
        }

        if (services.Checkpoints.HindranceOf(expected.Lsn) is { } hindrance)
        {
            return await LeaveOutAsync(input, size, expected, hindrance);
        }

        // No await between here and the end of the snapshot: both must describe this place in the app's stream.
        var entries = new List<(int Output, OutputSlice Slice)>();
        CheckpointHead head = services.State.Snapshot(expected.Inputs, services.Position.Follows, entries);
        Complete(head, expected, upgrade);
        bool copied = false;
        try
        {
            CheckpointWriter writer = services.Log.BeginCheckpoint(expected.Lsn, services.Checkpoints.Pace);
            await using (writer)
            {
                await WriteHeadAsync(writer, head.ToBytes(expected.Lsn));
                await WriteEntriesAsync(writer, entries);
                byte[] appSize = new byte[8];
                BinaryPrimitives.WriteInt64LittleEndian(appSize, size);
                await writer.WriteAsync(appSize);
                copied = true;
                await CopyAsync(input, writer, size);
                HasAll = true;
                await writer.CompleteAsync();
            }

            Newest = expected.Lsn;
            IsNewBuildSaved |= NewBuild is not null;
            services.Checkpoints.BecameDurable(expected.Lsn, size);
            return true;
        }
        catch (CheckpointFailedException error)
        {
            // The old checkpoints and their log stay; the log goes on.
            if (!copied)
            {
                await CopyAsync(input, null, size);
            }

            services.Checkpoints.Failed(expected.Lsn, error.Message);
            return false;
        }
        finally
        {
            foreach ((_, OutputSlice slice) in entries)
            {
                slice.Entry.Chunk.Release();
            }

            _expected.Dequeue();
        }
    }

    private async ValueTask<bool> LeaveOutAsync(PipeReader input, long size, ExpectedCheckpoint expected, string hindrance)
    {
        await CopyAsync(input, null, size);
        _expected.Dequeue();
        services.Checkpoints.Failed(expected.Lsn, hindrance);
        return false;
    }

    private void Complete(CheckpointHead head, ExpectedCheckpoint expected, VersionChange? upgrade)
    {
        head.LargestMessage = expected.LargestMessage;
        head.Awakeables = expected.Awakeables;
        head.Build = NewBuild ?? services.State.Upgrades.Build;
        head.Upgrades.AddRange(upgrade is null ? services.State.Upgrades.Marks : services.State.Upgrades.Marks.Append(upgrade));
    }

    private static async ValueTask WriteHeadAsync(CheckpointWriter writer, ReadOnlyMemory<byte> head)
    {
        byte[] size = new byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(size, head.Length);
        await writer.WriteAsync(size);
        await writer.WriteAsync(head);
    }

    /// <summary>Each entry: u32 index of its output · u32 messages · u64 number of the first · u32 bytes · the messages.</summary>
    private static async ValueTask WriteEntriesAsync(CheckpointWriter writer, List<(int Output, OutputSlice Slice)> entries)
    {
        byte[] prefix = new byte[CheckpointImage.EntryPrefix];
        foreach ((int output, OutputSlice slice) in entries)
        {
            ReadOnlyMemory<byte> bytes = await slice.Entry.Chunk.PinAsync(slice.Entry.Offset, slice.Entry.Length);
            try
            {
                bytes = bytes[MessageRun.OffsetOf(bytes.Span, slice.Skipped)..];
                // A lagging app's checkpoint ends inside what its predecessor had sent: the rest is not of this stream yet.
                bytes = slice.Whole ? bytes : bytes[..MessageRun.OffsetOf(bytes.Span, slice.Count)];
                BinaryPrimitives.WriteInt32LittleEndian(prefix, output);
                BinaryPrimitives.WriteInt32LittleEndian(prefix.AsSpan(4), slice.Count);
                BinaryPrimitives.WriteUInt64LittleEndian(prefix.AsSpan(8), slice.Number);
                BinaryPrimitives.WriteInt32LittleEndian(prefix.AsSpan(16), bytes.Length);
                await writer.WriteAsync(prefix);
                await writer.WriteAsync(bytes);
            }
            finally
            {
                slice.Entry.Chunk.Unpin();
            }
        }
    }

    // Consumes all of it even when the writer fails on the way: what follows in the stream is something else.
    private static async ValueTask CopyAsync(PipeReader input, CheckpointWriter? writer, long size)
    {
        CheckpointFailedException? failure = null;
        for (long left = size; left > 0;)
        {
            ReadResult result = await input.ReadAsync();
            if (result.IsCanceled || (result.IsCompleted && result.Buffer.IsEmpty))
            {
                throw new IOException("the app ended inside its checkpoint");
            }

            ReadOnlySequence<byte> part = result.Buffer.Slice(0, Math.Min(left, result.Buffer.Length));
            failure ??= writer is null ? null : await TryWriteAsync(writer, part);
            left -= part.Length;
            input.AdvanceTo(part.End);
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    private static async ValueTask<CheckpointFailedException?> TryWriteAsync(CheckpointWriter writer, ReadOnlySequence<byte> part)
    {
        try
        {
            foreach (ReadOnlyMemory<byte> segment in part)
            {
                await writer.WriteAsync(segment);
            }

            return null;
        }
        catch (CheckpointFailedException error)
        {
            return error;
        }
    }
}
