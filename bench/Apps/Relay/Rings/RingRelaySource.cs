using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Ambrosia.Bench.Immortals;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>The first app of a relay whose app hops may be rings: does what <see cref="RelaySource"/> does.</summary>
internal static class RingRelaySource
{
    /// <summary>Every byte of a flood: the other end counts those that arrived as they were.</summary>
    public const byte Mark = 1;

    private const int BlockSize = 256 * 1024;

    /// <summary>Serves "flood SIZE SECONDS" and "call SIZE OUTSTANDING SECONDS" until the process ends.</summary>
    public static async Task ServeAsync(AppHopKind kind, string connect)
    {
        Console.Out.WriteLine(RelaySource.Ready);
        await foreach (string line in SampleChild.Lines.ReadAllAsync())
        {
            string[] words = line.Split(' ');
            int size = int.Parse(words[1], CultureInfo.InvariantCulture);
            TimeSpan time = TimeSpan.FromSeconds(double.Parse(words[^1], CultureInfo.InvariantCulture));
            using AppLink link = AppLink.Connect(connect, kind);
            Outcome outcome = words[0] == "flood" ? Flood(link, size, time)
                : Call(link, size, int.Parse(words[2], CultureInfo.InvariantCulture), time);
            Console.Out.WriteLine(DeskWords.Answer + JsonSerializer.Serialize(outcome));
        }
    }

    private static Outcome Flood(AppLink link, int size, TimeSpan time)
    {
        byte[] block = new byte[BlockSize];
        block.AsSpan().Fill(Mark);
        link.Writer.Write([RelayEnd.Count]);
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            link.Writer.Write(block);
        }

        link.Writer.End();
        Span<byte> total = stackalloc byte[sizeof(long)];
        for (int have = 0; have < total.Length;)
        {
            have += Take(link.Reader, total[have..]);
        }

        return new Outcome(BinaryPrimitives.ReadInt64LittleEndian(total) / size, Stopwatch.GetElapsedTime(start).TotalSeconds, null);
    }

    private static Outcome Call(AppLink link, int size, int outstanding, TimeSpan time)
    {
        byte[] block = new byte[size * outstanding];
        link.Writer.Write([RelayEnd.Echo]);
        long start = Stopwatch.GetTimestamp();
        (long sent, long received) = (0, 0);
        for (int free = block.Length; Stopwatch.GetElapsedTime(start) < time;)
        {
            // What has come back makes room for as much again.
            Latencies.Begin();
            link.Writer.Write(block.AsSpan(0, free));
            sent += free;
            free = Take(link.Reader, block);
            received += free;
            if (outstanding == 1)
            {
                Latencies.End();
            }
        }

        while (received < sent)
        {
            received += Take(link.Reader, block);
        }

        link.Writer.End();
        Percentiles? roundTrips = Latencies.Take();
        Latencies.Clear();
        return new Outcome(received / size, Stopwatch.GetElapsedTime(start).TotalSeconds, roundTrips);
    }

    private static int Take(IRelayReader reader, Span<byte> room)
    {
        ReadOnlySpan<byte> there = reader.Receive();
        if (there.Length == 0)
        {
            throw new IOException("The relay ended before it had answered.");
        }

        int count = Math.Min(there.Length, room.Length);
        there[..count].CopyTo(room);
        reader.Release(count);
        return count;
    }
}
