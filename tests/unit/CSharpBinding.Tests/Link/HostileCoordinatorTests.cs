using System.Buffers;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Link;

public sealed class HostileCoordinatorTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    [Fact]
    public async Task A_refusal_ends_the_app_with_the_coordinators_words()
    {
        await using var peer = new RawPeer();
        var data = new ArrayBufferWriter<byte>();
        new BindingRefused("IC-1234", "another app is attached").Write(data);

        await peer.SendAsync(TestMessage.Frame(BindingMessageType.Refused, data.WrittenSpan));

        BindingRefusedException refused = await Assert.ThrowsAsync<BindingRefusedException>(() => peer.App);
        Assert.Equal("IC-1234 another app is attached", refused.Message);
    }

    [Theory]
    [InlineData("a record before the welcome", new byte[] { 2, 67 })]
    [InlineData("a message of size zero", new byte[] { 0, 0 })]
    [InlineData("a negative size", new byte[] { 1, 65 })]
    [InlineData("a size of eleven bytes", new byte[] { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 })]
    [InlineData("a control message of 1 GiB", new byte[] { 128, 128, 128, 128, 8, 65 })]
    [InlineData("an empty welcome", new byte[] { 2, 65 })]
    public async Task Bytes_that_are_no_welcome_end_the_app_with_the_rule_that_was_broken(string what, byte[] bytes)
    {
        await using var peer = new RawPeer();

        await peer.SendAsync(bytes);

        Assert.NotEmpty((await Assert.ThrowsAsync<ProtocolException>(() => peer.App)).Rule);
        Assert.NotNull(what);
    }

    [Fact]
    public async Task An_end_of_the_stream_before_the_welcome_is_a_lost_coordinator()
    {
        await using var peer = new RawPeer();

        await peer.CloseAsync();

        await Assert.ThrowsAsync<LinkClosedException>(() => peer.App);
    }

    [Theory]
    [InlineData("a count that is too small", 1, 0)]
    [InlineData("a count that is too large", 3, 0)]
    [InlineData("a payload that is cut in a message", 2, -1)]
    public async Task A_record_that_contradicts_itself_ends_the_app(string what, int count, int bytes)
    {
        await _coordinator.StartFirstAsync();
        byte[] payload = [.. NoteCall(1), .. NoteCall(2)];
        byte[] info = new byte[RecordInfo.MaxSize];
        int size = new RecordInfo(2, 1, _coordinator.Now, count, payload.Length + bytes, 0).Write(info);

        await _coordinator.SendAsync([.. TestMessage.Frame(BindingMessageType.RecordInfo, info.AsSpan(0, size)), .. payload]);

        await Assert.ThrowsAsync<ProtocolException>(() => _coordinator.App);
        Assert.NotNull(what);
    }

    [Fact]
    public async Task Types_added_to_version_2_later_are_skipped_and_unknown_old_ones_refused()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.SendAsync(TestMessage.Frame((BindingMessageType)200, [1, 2, 3]));
        await _coordinator.DeliverAsync(NoteCall(4));
        Assert.Equal([4], ((Counter)_coordinator.Immortal!).Notes);

        await _coordinator.SendAsync(TestMessage.Frame((BindingMessageType)33, [1, 2, 3]));

        await Assert.ThrowsAsync<ProtocolException>(() => _coordinator.App);
    }

    [Fact]
    public async Task A_heartbeat_is_answered_and_a_query_that_is_none_is_a_broken_rule()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.Heartbeat, []));
        await _coordinator.UntilAsync(() => _coordinator.Others.Count == 1, "an answer");
        Assert.Equal([BindingMessageType.Heartbeat], _coordinator.Others);
        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.Query, [5]));
        await Assert.ThrowsAsync<ProtocolException>(() => _coordinator.App.WaitAsync(Patience.Time));
    }

    [Theory] // Every split of the stream gives the same messages.
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(64)]
    [InlineData(4096)]
    public void The_reader_gives_the_same_messages_however_the_stream_is_cut(int piece)
    {
        byte[] stream = SampleStream();
        var whole = new RecordingReceiver();
        var cut = new RecordingReceiver();

        Feed(whole, stream, stream.Length, growing: false);
        Feed(cut, stream, piece, growing: piece < 7);

        Assert.NotEmpty(whole.Seen);
        Assert.Equal(whole.Seen, cut.Seen);
    }

    [Fact] // G14
    public void Damaged_streams_are_refused_or_read_and_never_do_anything_else()
    {
        byte[] stream = SampleStream();
        var random = new Random(1);
        int refused = 0;
        for (int round = 0; round < Extent.Of(everyday: 2000, full: 4000, soak: 40_000); round++)
        {
            byte[] damaged = [.. stream];
            for (int flips = random.Next(1, 4); flips > 0; flips--)
            {
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            }

            try
            {
                Feed(new RecordingReceiver(), damaged, random.Next(1, 200), growing: false);
            }
            catch (ProtocolException)
            {
                refused++;
            }
        }

        Assert.InRange(refused, 100, 4000);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_coordinator.App.IsFaulted)
        {
            await _coordinator.DisposeAsync();
        }
    }

    private static byte[] NoteCall(int value) => Runtime.DispatchTests.Note(value);

    private static byte[] SampleStream()
    {
        var bytes = new List<byte>();
        for (int i = 0; i < 12; i++)
        {
            byte[] payload =
            [
                .. NoteCall(i),
                .. TestMessage.Batch(NoteCall(i), NoteCall(1 << i)),
                .. TestMessage.Frame(BindingMessageType.Rpc, new byte[60 * i + 1]),
                .. TestMessage.Batch(),
            ];
            byte[] info = new byte[RecordInfo.MaxSize];
            int size = new RecordInfo((ulong)i, 1, 1, 4, payload.Length, 0).Write(info);
            bytes.AddRange(TestMessage.Frame(BindingMessageType.RecordInfo, info.AsSpan(0, size)));
            bytes.AddRange(payload);
            byte[] length = new byte[Varint.MaxSize64];
            bytes.AddRange(TestMessage.Frame(BindingMessageType.Checkpoint, length.AsSpan(0, Varint.WriteZigZag(length, 50 * i))));
            bytes.AddRange(new byte[50 * i]);
            bytes.AddRange(TestMessage.Frame(BindingMessageType.Heartbeat, []));
        }

        return [.. bytes];
    }

    private static void Feed(RecordingReceiver receiver, byte[] stream, int piece, bool growing)
    {
        using var reader = new LinkReader(receiver);
        int start = 0;
        for (int end = Math.Min(piece, stream.Length); ; end = Math.Min(end + piece, stream.Length))
        {
            ReadOnlySequence<byte> buffer = Segments.Of(stream.AsMemory(start, end - start), growing ? 3 : piece);
            long before = buffer.Length;
            reader.Read(ref buffer);
            start += (int)(before - buffer.Length);
            if (end == stream.Length)
            {
                return;
            }
        }
    }
}
