using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Ambrosia.Bench.Immortals;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Outside;

/// <summary>What all clients from outside do, whatever they speak: they take commands, keep so many calls under way, and time
/// each.</summary>
internal static class CallerDesk
{
    /// <summary>Takes commands on standard input until the process ends: <c>call SIZE OUTSTANDING SECONDS</c>.</summary>
    /// <param name="callerOf">Makes one of those that call at the same time, by the size of what they send; what it gives is called again
    /// and again, with the number of the call from 1 on.</param>
    public static async Task ServeAsync(Func<int, Func<long, Task>> callerOf)
    {
        Console.Out.WriteLine(DeskWords.Ready);
        await foreach (string line in SampleChild.Lines.ReadAllAsync())
        {
            if (line.Split(' ') is not ["call", var size, var outstanding, var seconds])
            {
                throw new ArgumentException($"There is no command {line}.");
            }

            Latencies.Clear();
            var time = TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture));
            long start = Stopwatch.GetTimestamp();
            long[] calls = await Task.WhenAll(
                Enumerable.Range(0, Int(outstanding)).Select(_ => CallAsync(callerOf(Int(size)), start, time)));
            var outcome = new Outcome(calls.Sum(), Stopwatch.GetElapsedTime(start).TotalSeconds, Latencies.Take());
            Console.Out.WriteLine(DeskWords.Answer + JsonSerializer.Serialize(outcome));
        }
    }

    /// <summary>A UUID of version 7, which says when it was made: the name of a session of numbered calls. Each of them says that the one
    /// before is done with, as a client does that keeps its keys.</summary>
    public static string NewSession()
    {
        string random = Guid.NewGuid().ToString("N");
        string time = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds().ToString("x12", CultureInfo.InvariantCulture);
        return $"{time[..8]}-{time[8..]}-7{random[..3]}-a{random[4..7]}-{random[8..20]}";
    }

    private static async Task<long> CallAsync(Func<long, Task> call, long start, TimeSpan time)
    {
        long number = 0;
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            long begun = Stopwatch.GetTimestamp();
            await call(++number);
            Latencies.Add(Stopwatch.GetElapsedTime(begun).TotalMicroseconds);
        }

        return number;
    }

    private static int Int(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
