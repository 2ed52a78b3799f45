using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text.Json;
using Ambrosia.Bench.Immortals;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Relay;

/// <summary>The first process of the relay: takes the same kind of commands as the sending immortal.</summary>
internal static class RelaySource
{
    /// <summary>Begins the line that says that a process of the relay serves.</summary>
    public const string Ready = "ready";

    private const int BlockSize = 256 * 1024;

    /// <summary>Serves "flood SIZE SECONDS" and "call SIZE OUTSTANDING SECONDS" until the process ends.</summary>
    public static async Task ServeAsync(string connect)
    {
        Console.Out.WriteLine(Ready);
        await foreach (string line in SampleChild.Lines.ReadAllAsync())
        {
            string[] words = line.Split(' ');
            int size = int.Parse(words[1], CultureInfo.InvariantCulture);
            TimeSpan time = TimeSpan.FromSeconds(double.Parse(words[^1], CultureInfo.InvariantCulture));
            using Socket socket = await RelayAddress.ConnectAsync(connect);
            Outcome outcome = words[0] == "flood"
                ? await FloodAsync(socket, size, time)
                : await CallAsync(socket, size, int.Parse(words[2], CultureInfo.InvariantCulture), time);
            Console.Out.WriteLine(DeskWords.Answer + JsonSerializer.Serialize(outcome));
        }
    }

    private static async Task<Outcome> FloodAsync(Socket socket, int size, TimeSpan time)
    {
        byte[] block = new byte[BlockSize];
        await socket.SendAsync(new[] { RelayEnd.Count });
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            await SendAsync(socket, block);
        }

        socket.Shutdown(SocketShutdown.Send);
        await ReceiveAsync(socket, block.AsMemory(0, sizeof(long)));
        return new Outcome(BinaryPrimitives.ReadInt64LittleEndian(block) / size, Stopwatch.GetElapsedTime(start).TotalSeconds, null);
    }

    private static async Task<Outcome> CallAsync(Socket socket, int size, int outstanding, TimeSpan time)
    {
        byte[] block = new byte[size * outstanding];
        await socket.SendAsync(new[] { RelayEnd.Echo });
        long start = Stopwatch.GetTimestamp();
        (long sent, long received) = (0, 0);
        for (int free = block.Length; free > 0;)
        {
            // What has come back makes room for as much again.
            Latencies.Begin();
            await SendAsync(socket, block.AsMemory(0, free));
            sent += free;
            free = await socket.ReceiveAsync(block);
            received += free;
            if (outstanding == 1)
            {
                Latencies.End();
            }

            if (Stopwatch.GetElapsedTime(start) >= time)
            {
                break;
            }
        }

        for (int more; received < sent; received += more)
        {
            more = await socket.ReceiveAsync(block);
        }

        socket.Shutdown(SocketShutdown.Send);
        Percentiles? roundTrips = Latencies.Take();
        Latencies.Clear();
        return new Outcome(received / size, Stopwatch.GetElapsedTime(start).TotalSeconds, roundTrips);
    }

    private static async Task SendAsync(Socket socket, ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            bytes = bytes[await socket.SendAsync(bytes)..];
        }
    }

    private static async Task ReceiveAsync(Socket socket, Memory<byte> bytes)
    {
        for (int received; bytes.Length > 0; bytes = bytes[received..])
        {
            received = await socket.ReceiveAsync(bytes);
            if (received == 0)
            {
                throw new IOException("The relay ended before it had answered.");
            }
        }
    }
}
