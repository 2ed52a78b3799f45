using System.Buffers;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.State;

/// <summary>
/// The sender's rules of docs/internals/exactly-once.md#the-algorithm, one at a time: what of the buffer is sent after an answer, a trim, a
/// replay and a new app.
/// </summary>
public sealed class OutputBufferTests : IAsyncDisposable
{
    private const ulong OwnEpoch = 9;
    private readonly MemoryFileSystem _disk = new();
    private readonly SpillBudget _budget = new(1 << 30);
    private readonly OutputBuffer _buffer;

    public OutputBufferTests() => _buffer = Create(memoryLimit: 1 << 20);

    [Fact] // docs/internals/exactly-once.md H3
    public void An_answer_of_a_superseded_receiver_is_not_believed()
    {
        Assert.True(_buffer.AcceptReceiver(3, Guid.Empty));
        Assert.True(_buffer.AcceptReceiver(3, Guid.Empty));
        Assert.False(_buffer.AcceptReceiver(2, Guid.Empty));
        Assert.Equal(3UL, _buffer.ReceiverEpoch);
    }

    [Fact] // docs/internals/exactly-once.md H2: an impulse before the receiver's last message was logged, or counts as lost.
    public async Task A_rebase_keeps_only_impulses_behind_the_last_message_that_the_receiver_has()
    {
        await AppendAsync(1, 2);
        await AppendImpulseAsync(101);
        await AppendAsync(3, 1);
        await AppendImpulseAsync(102);
        await AppendAsync(4, 1);
        _buffer.Rebase(new Watermark(7, 3, OwnEpoch - 1));
        Assert.Equal([102, 4], await SentAsync(8));
    }

    [Fact]
    public async Task A_trim_counts_all_messages_in_the_own_numbering_and_only_replayable_ones_in_another()
    {
        await AppendAsync(1, 3);
        await AppendImpulseAsync(101);
        _buffer.Rebase(Watermark.None);
        _buffer.TrimTo(new Watermark(4, 1, OwnEpoch - 1), OwnEpoch);
        Assert.Equal([2, 3, 101], await SentAsync(2));
        _buffer.TrimTo(new Watermark(3, 3, OwnEpoch), OwnEpoch);
        Assert.Equal([101], await SentAsync(4));
    }

    [Fact]
    public async Task A_run_that_loses_its_front_begins_with_the_total_of_what_is_left()
    {
        _buffer.Rebase(Watermark.None);
        await AppendAsync(1, 3);
        _buffer.TrimTo(new Watermark(2, 2, OwnEpoch), OwnEpoch);
        var batch = new List<OutputEntry>();
        _buffer.TakeBatch(3, batch);
        OutputEntry left = Assert.Single(batch);
        Assert.Equal((3UL, 3UL, 1), (left.Total, left.Number, left.Count));
    }

    [Fact]
    public async Task Replay_does_not_append_again_what_the_destination_has()
    {
        _buffer.Rebase(new Watermark(5, 2, OwnEpoch - 1));
        await AppendAsync(1, 3);
        Assert.Equal([3], await SentAsync(6));
    }

    [Fact] // docs/internals/exactly-once.md H5
    public async Task What_a_new_app_makes_again_is_appended_once()
    {
        _buffer.Rebase(Watermark.None);
        await AppendAsync(1, 3);
        _buffer.BeginReattach(trimmed: 0, receiverEpoch: 0);
        _buffer.EndReattach(streamed: 0);
        await AppendAsync(1, 2);
        await AppendAsync(3, 2);
        Assert.Equal([1, 2, 3, 4], await SentAsync(1));
    }

    [Fact] // docs/internals/exactly-once.md H5b
    public async Task What_only_the_checkpoint_of_a_new_app_holds_is_merged()
    {
        _buffer.Rebase(Watermark.None);
        await AppendAsync(1, 1);
        _buffer.BeginReattach(trimmed: 0, receiverEpoch: 0);
        await _buffer.MergeEntryAsync(Run(1, 3), 1, 3);
        _buffer.EndReattach(streamed: 3);
        await AppendAsync(4, 1);
        Assert.Equal([1, 2, 3, 4], await SentAsync(1));
    }

    [Fact] // docs/internals/exactly-once.md H18
    public async Task What_went_to_the_scratch_file_comes_back_as_it_was_and_leaves_no_room_taken()
    {
        await _disk.CreateFolderAsync("/scratch");
        await using OutputBuffer small = Create(memoryLimit: 1);
        small.Rebase(Watermark.None);
        byte[] big = new byte[150_000];
        for (byte id = 1; id <= 5; id++)
        {
            Array.Fill(big, id);
            await small.AppendAsync(new ReadOnlySequence<byte>(Message(RpcKind.Fork, big)), 1);
        }

        Assert.True(small.SpilledBytes > 4 * big.Length);
        Assert.Equal([1, 2, 3, 4, 5], await SentAsync(1, small));
        small.TrimTo(new Watermark(5, 5, OwnEpoch), OwnEpoch);
        Assert.Equal((0, 0), (small.SpilledBytes, _budget.Used));
    }

    [Fact] // docs/internals/exactly-once.md H26: what comes while a decision is made is not part of it, and was never sent.
    public async Task What_was_dropped_keeps_its_numbers_and_what_came_meanwhile_is_sent_after_them()
    {
        await AppendAsync(1, 3);
        await AppendImpulseAsync(101);
        Release(_buffer.BeginDrop());
        await AppendAsync(4, 2);
        await AppendImpulseAsync(102);
        Assert.Equal(3UL, _buffer.Dropping);
        _buffer.Drop(3);
        var answer = new Watermark(7, 1, OwnEpoch - 1);
        Assert.Equal(2UL, _buffer.GapAfter(answer));
        _buffer.Rebase(answer);
        Assert.Equal([4, 5, 102], await SentAsync(10));
    }

    [Fact] // docs/internals/exactly-once.md H26, H2: nothing that is left was ever sent, so its totals begin where the destination is.
    public async Task After_a_drop_totals_begin_with_the_next_answer_also_in_the_own_numbering()
    {
        _buffer.Rebase(Watermark.None);
        await AppendAsync(1, 2);
        await AppendImpulseAsync(101);
        Release(_buffer.BeginDrop());
        _buffer.Drop(2);
        await AppendAsync(3, 1);
        Assert.Null(_buffer.NextTotal);
        Assert.True(_buffer.HasAnswered);
        var answer = new Watermark(1, 1, OwnEpoch);
        Assert.Equal(1UL, _buffer.GapAfter(answer));
        _buffer.Rebase(answer);
        Assert.Equal([3], await SentAsync(3));
    }

    [Fact]
    public async Task A_replay_does_not_append_again_what_was_dropped()
    {
        _buffer.Drop(2);
        await AppendAsync(1, 3);
        _buffer.Rebase(Watermark.None);
        Assert.Equal([3], await SentAsync(3));
    }

    [Fact]
    public async Task A_decision_to_drop_that_could_not_be_made_leaves_everything_as_it_was()
    {
        await AppendAsync(1, 2);
        Release(_buffer.BeginDrop());
        _buffer.GiveUpDrop();
        Assert.Null(_buffer.Dropping);
        _buffer.Rebase(Watermark.None);
        Assert.Equal([1, 2], await SentAsync(1));
    }

    public ValueTask DisposeAsync() => _buffer.DisposeAsync();

    private static void Release(List<OutputEntry> entries) => entries.ForEach(static entry => entry.Chunk.Release());

    internal static byte[] Message(RpcKind kind, params byte[] arguments)
    {
        byte[] message = new byte[Varint.MaxSize32 + 4 + arguments.Length];
        int size = Varint.WriteZigZag(message, 4 + arguments.Length);
        message[size++] = (byte)BindingMessageType.Rpc;
        message[size++] = (byte)RpcForm.Call;
        message[size++] = 2; // Method 1.
        message[size++] = (byte)kind;
        arguments.CopyTo(message, size);
        return message[..(size + arguments.Length)];
    }

    private static ReadOnlySequence<byte> Run(int first, int count) =>
        new([.. Enumerable.Range(first, count).SelectMany(id => Message(RpcKind.Fork, (byte)id))]);

    private static async Task<List<int>> IdentitiesAsync(OutputEntry entry)
    {
        ReadOnlyMemory<byte> bytes = await entry.Chunk.PinAsync(entry.Offset, entry.Length);
        List<int> identities = Identities(bytes.Span);
        entry.Chunk.Unpin();
        return identities[entry.Skipped..];
    }

    // What was damaged on the way shows as -1.
    private static List<int> Identities(ReadOnlySpan<byte> run)
    {
        var identities = new List<int>();
        var scanner = new MessageScanner(run);
        while (scanner.MoveNext())
        {
            ReadOnlySpan<byte> arguments = scanner.Data[3..];
            identities.Add(arguments.IndexOfAnyExcept(arguments[0]) < 0 ? arguments[0] : -1);
        }

        return identities;
    }

    [Fact]
    public async Task A_thousand_destinations_that_have_got_everything_hold_next_to_nothing()
    {
        var memory = new OutputMemory(64 << 20);
        for (int i = 0; i < 1000; i++)
        {
            var buffer = new OutputBuffer($"d{i}", memory, new SpillFile(_disk, "/scratch", $"d{i}", _budget));
            buffer.Rebase(Watermark.None);
            await buffer.AppendAsync(new ReadOnlySequence<byte>(new byte[i % 2 == 0 ? 16 : 100_000]), 1);
            buffer.TrimTo(new Watermark(1, 1, OwnEpoch), OwnEpoch);
            Assert.True(buffer.IsEmpty);
            Assert.Equal(0, buffer.MemoryBytes);
        }

        Assert.InRange(memory.Bytes, 0, OutputMemory.MostSpares * Chunk.SmallestSize);
    }

    [Fact] // Its newest messages go to disk first: they are sent last. One that takes what it is sent is not touched.
    public async Task Beyond_the_limit_the_destination_that_holds_the_most_moves_to_its_scratch_file()
    {
        var memory = new OutputMemory(1 << 20);
        await _disk.CreateFolderAsync("/scratch");
        var away = new OutputBuffer("away", memory, new SpillFile(_disk, "/scratch", "away", _budget));
        var near = new OutputBuffer("near", memory, new SpillFile(_disk, "/scratch", "near", _budget));
        for (int i = 0; i < 100; i++)
        {
            await away.AppendAsync(new ReadOnlySequence<byte>(new byte[50_000]), 1);
            await near.AppendAsync(new ReadOnlySequence<byte>(new byte[1000]), 1);
            Assert.InRange(memory.Bytes, 0, (1 << 20) + 2 * Chunk.LargestSize);
        }

        Assert.True(away.SpilledBytes > 3_000_000);
        Assert.Equal(0, near.SpilledBytes);
        await away.DisposeAsync();
        await near.DisposeAsync();
        Assert.Equal(0, _budget.Used);
    }

    private OutputBuffer Create(long memoryLimit) =>
        new("b", new OutputMemory(memoryLimit), new SpillFile(_disk, "/scratch", "b", _budget));

    private ValueTask AppendAsync(int first, int count) => _buffer.AppendAsync(Run(first, count), count);

    private ValueTask AppendImpulseAsync(byte id) =>
        _buffer.AppendImpulsesAsync(new ReadOnlySequence<byte>(Message(RpcKind.Impulse, id)), 1);

    private async Task<List<int>> SentAsync(ulong from, OutputBuffer? buffer = null)
    {
        var sent = new List<int>();
        var batch = new List<OutputEntry>();
        do
        {
            (buffer ?? _buffer).TakeBatch(from, batch);
            foreach (OutputEntry entry in batch)
            {
                Assert.Equal(from, entry.Total);
                from += (ulong)entry.Count;
                sent.AddRange(await IdentitiesAsync(entry));
            }
        }
        while (batch.Count > 0);
        return sent;
    }
}
