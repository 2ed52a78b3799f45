using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.HotPath.Tests;

public sealed class SocketPipeTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1000)]
    [InlineData(65536)]
    [InlineData(1 << 20)]
    public async Task What_was_received_is_always_one_piece_and_arrives_whole_and_in_order(int piece)
    {
        byte[] stream = new byte[300_000];
        new Random(piece).NextBytes(stream);
        var reader = new SocketPipeReader(new ScriptedChannel(stream, piece, 3, 12345), largest: 32 * 1024);
        var got = new List<byte>();
        var random = new Random(1);
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            Assert.True(result.Buffer.IsSingleSegment);
            if (result.IsCompleted && result.Buffer.IsEmpty)
            {
                break;
            }

            // Sometimes nothing is consumed although all was seen: a message that is not complete.
            long taken = result.IsCompleted ? result.Buffer.Length : random.Next((int)result.Buffer.Length + 1);
            got.AddRange(result.Buffer.Slice(0, taken).ToArray());
            reader.AdvanceTo(result.Buffer.GetPosition(taken), result.Buffer.End);
        }

        Assert.Equal(stream, got);
    }

    [Fact]
    public async Task A_message_larger_than_the_buffer_makes_it_grow_until_the_message_fits()
    {
        byte[] stream = new byte[2_000_000];
        new Random(1).NextBytes(stream);
        var reader = new SocketPipeReader(new ScriptedChannel(stream, 50_000), largest: 32 * 1024);
        ReadResult result = await reader.ReadAsync();
        while (result.Buffer.Length < stream.Length)
        {
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            result = await reader.ReadAsync();
        }

        Assert.True(result.Buffer.IsSingleSegment);
        Assert.Equal(stream, result.Buffer.ToArray());
    }

    [Fact]
    public async Task What_was_not_examined_is_given_again_at_once()
    {
        var reader = new SocketPipeReader(new ScriptedChannel([1, 2, 3, 4], 4), largest: 32 * 1024);
        ReadResult result = await reader.ReadAsync();
        reader.AdvanceTo(result.Buffer.GetPosition(1));
        Assert.True(reader.TryRead(out result));
        Assert.Equal(new byte[] { 2, 3, 4 }, result.Buffer.ToArray());
    }

    [Fact]
    public async Task A_pending_read_can_be_cancelled_and_read_again()
    {
        var reader = new SocketPipeReader(new ScriptedChannel([]), largest: 32 * 1024);
        for (int i = 0; i < 3; i++)
        {
            ValueTask<ReadResult> pending = reader.ReadAsync();
            reader.CancelPendingRead();
            ReadResult result = await pending;
            Assert.True(result.IsCanceled);
            reader.AdvanceTo(result.Buffer.Start);
        }

        using var cancelled = new CancellationTokenSource();
        Task<ReadResult> other = reader.ReadAsync(cancelled.Token).AsTask();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => other);
    }

    [Fact]
    public async Task Small_writes_leave_together_with_the_large_one_that_follows()
    {
        var channel = new ScriptedChannel([]);
        var writer = new SocketPipeWriter(channel);
        byte[] large = [.. Enumerable.Repeat((byte)9, 100_000)];
        writer.Write(new byte[] { 1, 2, 3 });
        writer.Write(new byte[] { 4 });
        Assert.Equal(4, writer.UnflushedBytes);
        await writer.WriteAsync(large);

        Assert.Equal(1, channel.SendCalls);
        Assert.Equal([1, 2, 3, 4, .. large], channel.Received);
        Assert.Equal(0, writer.UnflushedBytes);
        await writer.FlushAsync();
        Assert.Equal(1, channel.SendCalls);
    }
}
