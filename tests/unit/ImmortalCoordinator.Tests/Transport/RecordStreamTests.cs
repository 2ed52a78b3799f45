using Ambrosia.Coordinator.Transport.Tls;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>What the ciphers are given of what was received, and how what they write leaves.</summary>
public sealed class RecordStreamTests
{
    [Fact]
    public async Task Records_that_came_together_are_handed_up_one_by_one()
    {
        await using var stream = new RecordStream(new Script([.. Record(3), .. Record(70), .. Record(1)]));
        foreach (int size in (int[])[3, 70, 1])
        {
            await stream.WaitForRecordAsync(default);
            Assert.Equal(Record(size), await ReadAsync(stream, 1000));
        }
    }

    [Fact]
    public async Task A_record_is_waited_for_until_it_is_whole()
    {
        var script = new Script([.. Record(40).Take(2)], [.. Record(40).Skip(2).Take(10)], [.. Record(40).Skip(12)], Record(5));
        await using var stream = new RecordStream(script);
        await stream.WaitForRecordAsync(default);
        Assert.Equal(3, script.Receives);
        Assert.Equal(Record(40), await ReadAsync(stream, 1000));
    }

    [Fact]
    public async Task A_reader_with_little_room_gets_the_rest_of_a_record_before_the_next()
    {
        await using var stream = new RecordStream(new Script([.. Record(10), .. Record(20)]));
        Assert.Equal(Record(10)[..9], await ReadAsync(stream, 9));
        Assert.Equal(Record(10)[9..], await ReadAsync(stream, 9));
        Assert.Equal(Record(20), await ReadAsync(stream, 1000));
    }

    [Fact]
    public async Task The_largest_record_fits_wherever_it_begins()
    {
        byte[][] records = [.. Enumerable.Range(0, 40).Select(static i => Record((16 * 1024) + 256 - (7 * (i % 3))))];
        await using var stream = new RecordStream(new Script([.. records.SelectMany(static record => record).Chunk(30_011)]));
        foreach (byte[] record in records)
        {
            await stream.WaitForRecordAsync(default);
            Assert.Equal(record, await ReadAsync(stream, 20_000));
        }
    }

    [Fact]
    public async Task What_no_record_can_be_is_handed_up_at_once_for_the_ciphers_to_refuse()
    {
        byte[] other = [23, 3, 3, 0xFF, 0xFF, 1, 2];
        await using var stream = new RecordStream(new Script(other));
        await stream.WaitForRecordAsync(default);
        Assert.Equal(other, await ReadAsync(stream, 1000));
    }

    [Fact]
    public async Task An_end_within_a_record_hands_up_what_came_and_then_nothing()
    {
        await using var stream = new RecordStream(new Script(Record(40)[..20], []));
        await stream.WaitForRecordAsync(default);
        Assert.Equal(Record(40)[..20], await ReadAsync(stream, 1000));
        Assert.Empty(await ReadAsync(stream, 1000));
        await stream.WaitForRecordAsync(default);
        Assert.Empty(await ReadAsync(stream, 1000));
    }

    [Fact]
    public async Task An_end_within_a_header_hands_up_what_came_and_then_nothing()
    {
        await using var stream = new RecordStream(new Script(Record(40)[..3], []));
        await stream.WaitForRecordAsync(default);
        Assert.Equal(Record(40)[..3], await ReadAsync(stream, 1000));
        Assert.Empty(await ReadAsync(stream, 1000));
    }

    [Fact]
    public async Task What_is_written_leaves_at_once_unless_it_is_gathered_and_then_in_one_piece()
    {
        var script = new Script();
        await using var stream = new RecordStream(script);
        await stream.WriteAsync(Record(1));
        Assert.Equal(Record(1), script.Sent.Single());
        stream.Gather();
        await stream.WriteAsync(Record(2));
        await stream.WriteAsync(Record(30_000));
        Assert.Single(script.Sent);
        await stream.SendGatheredAsync(default);
        Assert.Equal([.. Record(2), .. Record(30_000)], script.Sent[1]);
        await stream.WriteAsync(Record(4));
        Assert.Equal(Record(4), script.Sent[2]);
    }

    private static byte[] Record(int size) =>
        [23, 3, 3, (byte)(size >> 8), (byte)size, .. Enumerable.Range(size, size).Select(static i => (byte)i)];

    private static async Task<byte[]> ReadAsync(RecordStream stream, int room)
    {
        byte[] buffer = new byte[room];
        return buffer[..await stream.ReadAsync(buffer)];
    }

    /// <summary>Hands out what it was told to, piece by piece, and keeps what is sent.</summary>
    private sealed class Script(params byte[][] pieces) : IByteChannel
    {
        private readonly Queue<ReadOnlyMemory<byte>> _pieces = new(pieces.Select(static piece => (ReadOnlyMemory<byte>)piece));
        private ReadOnlyMemory<byte> _rest;

        public int Receives { get; private set; }

        public List<byte[]> Sent { get; } = [];

        public ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken)
        {
            Receives++;
            _rest = _rest.IsEmpty ? _pieces.Dequeue() : _rest;
            int size = Math.Min(destination.Length, _rest.Length);
            _rest[..size].CopyTo(destination);
            _rest = _rest[size..];
            return ValueTask.FromResult(size);
        }

        public ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken)
        {
            Sent.Add([.. first.ToArray(), .. second.ToArray()]);
            return default;
        }
    }
}
