using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Append;

/// <summary>Writers that know the checksum of what they append: the record's is made of theirs.</summary>
public sealed class KnownChecksumTests
{
    private readonly MemoryFileSystem _disk = new();

    [Fact]
    public void Pieces_known_and_unknown_in_any_order_make_the_checksum_of_all_bytes()
    {
        var random = new Random(11);
        for (int round = 0; round < 200; round++)
        {
            byte[] bytes = new byte[random.Next(1, 5000)];
            random.NextBytes(bytes);
            int start = random.Next(bytes.Length);
            var known = new KnownChecksums();
            known.Add(0, 1, 12345);
            known.Clear();
            List<(int Start, int Length)> pieces = [];
            for (int at = start; at < bytes.Length && pieces.Count < 40;)
            {
                int length = random.Next(0, Math.Min(400, bytes.Length - at) + 1);
                if (random.Next(2) == 0)
                {
                    pieces.Add((at, length));
                }

                at += Math.Max(length, 1);
            }

            foreach ((int pieceStart, int length) in pieces.OrderBy(_ => random.Next()))
            {
                known.Add(pieceStart, length, Crc32C.Compute(bytes.AsSpan(pieceStart, length)));
            }

            Assert.Equal(Crc32C.Compute(bytes.AsSpan(start)), known.Compute(bytes, start, bytes.Length));
        }
    }

    [Fact]
    public void A_record_of_which_writers_knew_parts_is_read_back_and_a_wrong_one_is_noticed() => SingleThread.Run(async () =>
    {
        byte[] content = [.. Enumerable.Range(0, 3000).Select(i => (byte)(i * 3))];
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        for (int wrong = 0; wrong < 2; wrong++)
        {
            Assert.True(writer.Appender.TryReserve(100, out PageReservation plain));
            plain.Span.Fill(7);
            Assert.True(writer.Appender.TryReserve(content.Length, out PageReservation room));
            content.CopyTo(room.Span);
            room.Know(content.Length - 10, Crc32C.Compute(content.AsSpan(10)) + (uint)wrong);
            plain.Publish();
            room.Publish();
            await writer.Appender.FlushAsync();
        }

        await using LogReader reader = writer.Log.OpenReader(new Lsn(1));
        Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
        Assert.Equal(content, reader.Body.Slice(100, content.Length).ToArray());
        await Assert.ThrowsAsync<LogCorruptException>(async () => await reader.ReadAsync());
    });
}
