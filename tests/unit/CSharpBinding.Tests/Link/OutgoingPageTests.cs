using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Link;

public sealed class OutgoingPageTests
{
    [Fact]
    public void Consecutive_messages_to_one_destination_share_a_header()
    {
        var page = new OutgoingPage(4096, 1 << 20);
        Write(page, 1, [1, 2]);
        Write(page, 1, [3]);
        Write(page, 2, [4]);
        Write(page, 1, [5]);

        Assert.Equal([(1, 2), (2, 1), (1, 1)], Runs(page).Select(run => (run.Destination, run.Messages.Count)));
    }

    [Theory] // The hint is right, too small, too large.
    [InlineData(0)]
    [InlineData(60)]
    [InlineData(3000)]
    [InlineData(100_000)]
    public void What_is_written_arrives_whatever_the_sizes_and_hints(int hint)
    {
        var random = new Random(hint + 1);
        var page = new OutgoingPage(1024, 1 << 24);
        var expected = new List<(int Destination, byte[] Message)>();
        for (int i = 0; i < 2000; i++)
        {
            byte[] message = new byte[random.Next(100) == 0 ? random.Next(200_000) : random.Next(1, 150)];
            random.NextBytes(message);
            int destination = random.Next(3) == 0 ? random.Next(200) : 7;
            expected.Add((destination, message));
            Write(page, destination, message, hint, pieces: random.Next(1, 5));
            if (random.Next(50) == 0)
            {
                page.BeginMessage(destination, hint); // Left open, as when its arguments cannot be serialized.
                page.GetSpan(5)[..5].Fill(0xEE);
                page.Advance(5);
            }
        }

        (int, byte[])[] actual = [.. Runs(page).SelectMany(run => run.Messages.Select(message => (run.Destination, message)))];
        Assert.Equal(expected.Count, actual.Length);
        for (int i = 0; i < actual.Length; i++)
        {
            Assert.Equal(expected[i].Destination, actual[i].Item1);
            Assert.True(expected[i].Message.AsSpan().SequenceEqual(actual[i].Item2), $"message {i}");
        }
    }

    [Fact]
    public void A_mark_stands_behind_the_messages_of_its_turns()
    {
        var page = new OutgoingPage(4096, 1 << 20);
        Write(page, 1, [1]);
        page.MarkProgress(new Progress(300, 2, true));
        Write(page, 1, [2]);

        var scanner = new MessageScanner(Bytes(page));
        Assert.True(scanner.MoveNext() && scanner.Type == BindingMessageType.Outputs);
        Assert.True(scanner.MoveNext());
        Assert.Equal(new Progress(300, 2, true), Progress.Read(scanner.Data));
        Assert.True(scanner.MoveNext() && scanner.Type == BindingMessageType.Outputs);
        Assert.False(scanner.MoveNext());
    }

    [Fact]
    public void A_message_that_is_too_large_is_refused_and_leaves_no_trace()
    {
        var page = new OutgoingPage(4096, 100);
        Write(page, 1, [1]);

        Assert.Throws<InvalidOperationException>(() => Write(page, 1, new byte[200]));
        Write(page, 1, [2]);

        Assert.Equal([[1], [2]], Assert.Single(Runs(page)).Messages);
    }

    [Fact] // A refused message leaves a buffer into which more fits than one run may hold.
    public void A_run_is_never_larger_than_the_largest_message_whatever_was_refused_before()
    {
        const int most = 8000;
        var page = new OutgoingPage(most / 2, most);
        Assert.Throws<InvalidOperationException>(() => Write(page, 1, new byte[most + 1000], pieces: 4));

        Write(page, 1, new byte[300]);
        Write(page, 1, new byte[most - 100]);
        Write(page, 1, [1]);

        List<(int Destination, List<byte[]> Messages)> runs = Runs(page);
        Assert.Equal([300, most - 100, 1], runs.SelectMany(static run => run.Messages).Select(static message => message.Length));
        Assert.All(runs, static run => Assert.InRange(run.Messages.Sum(static message => message.Length), 0, most));
    }

    [Fact]
    public void A_message_begun_inside_another_one_is_noticed()
    {
        var page = new OutgoingPage(4096, 1 << 20);
        page.BeginMessage(1, 10);
        int outer = page.MessageToken;
        Write(page, 1, [1]);

        Assert.Throws<InvalidOperationException>(() => page.EndMessage(outer));
    }

    private static void Write(OutgoingPage page, int destination, byte[] message, int hint = 10, int pieces = 1)
    {
        page.BeginMessage(destination, hint);
        int token = page.MessageToken;
        foreach (byte[] piece in message.Chunk(Math.Max(1, (message.Length / pieces) + 1)))
        {
            piece.CopyTo(page.GetSpan(piece.Length));
            page.Advance(piece.Length);
        }

        page.EndMessage(token);
    }

    private static byte[] Bytes(OutgoingPage page)
    {
        var chunks = new Queue<OutgoingChunk>();
        page.TakeAll(chunks);
        var bytes = new List<byte>();
        foreach (OutgoingChunk chunk in chunks)
        {
            for (int i = 0; i < chunk.Ranges.Length; i++)
            {
                bytes.AddRange(chunk[i].ToArray());
            }

            Assert.True(chunk.Length > 0);
        }

        return [.. bytes];
    }

    private static List<(int Destination, List<byte[]> Messages)> Runs(OutgoingPage page)
    {
        var runs = new List<(int, List<byte[]>)>();
        var scanner = new MessageScanner(Bytes(page));
        while (scanner.MoveNext())
        {
            Assert.Equal(BindingMessageType.Outputs, scanner.Type);
            var reader = new ByteReader(scanner.Data);
            int destination = (int)reader.ReadVarint("index");
            int count = (int)reader.ReadVarint("count");
            var messages = new List<byte[]>();
            var inner = new MessageScanner(reader.Rest);
            while (inner.MoveNext())
            {
                messages.Add(inner.Data.ToArray());
            }

            Assert.Equal(count, messages.Count);
            runs.Add((destination, messages));
        }

        return runs;
    }
}
