using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Immortals;

/// <summary>Takes commands on standard input (flood SIZE BATCH WINDOW SECONDS, call SIZE OUTSTANDING SECONDS) and prints the outcome as a line of JSON.</summary>
internal static class SourceDesk
{
    /// <summary>Begins the line that says that commands are taken now.</summary>
    public const string Ready = "ready";

    /// <summary>Begins every outcome.</summary>
    public const string Answer = "answer ";

    public static void Open(SourceProxy self, ImmortalContext context)
    {
        Console.Out.WriteLine(Ready);
        _ = ServeAsync(self, context.Stopping);
    }

    private static async Task ServeAsync(SourceProxy self, CancellationToken stopping)
    {
        await foreach (string line in SampleChild.Lines.ReadAllAsync(stopping))
        {
            string[] words = line.Split(' ');
            int[] numbers = [.. words[1..^1].Select(static word => int.Parse(word, CultureInfo.InvariantCulture))];
            TimeSpan time = TimeSpan.FromSeconds(double.Parse(words[^1], CultureInfo.InvariantCulture));
            Latencies.Clear();
            long start = Stopwatch.GetTimestamp();
            Task<long> work = words[0] == "flood" ? self.FloodImpulse(numbers[0], numbers[1], numbers[2]) : self.CallImpulse(numbers[0], numbers[1]);
            await Task.Delay(time, stopping);
            await self.StopImpulse();
            long messages = await work;
            var outcome = new Outcome(messages, Stopwatch.GetElapsedTime(start).TotalSeconds, Latencies.Take());
            Console.Out.WriteLine(Answer + JsonSerializer.Serialize(outcome));
        }
    }
}
