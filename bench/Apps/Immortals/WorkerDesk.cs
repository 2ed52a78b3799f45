using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Immortals;

/// <summary>Takes commands on standard input and prints the outcome of each as a line of JSON.</summary>
internal static class WorkerDesk
{
    public static void Open(WorkerProxy self, ImmortalContext context)
    {
        Console.Out.WriteLine(DeskWords.Ready);
        _ = ServeAsync(self, context.Stopping);
    }

    private static async Task ServeAsync(WorkerProxy self, CancellationToken stopping)
    {
        await foreach (string line in SampleChild.Lines.ReadAllAsync(stopping))
        {
            string[] words = line.Split(' ');
            Latencies.Clear();
            long start = Stopwatch.GetTimestamp();
            long messages = words switch
            {
                ["flood", var targets, var size, var batch, var window, var limit, var seconds] =>
                    await UntilAsync(self, self.FloodImpulse(targets, Int(size), Int(batch), Int(window),
                        long.Parse(limit, CultureInfo.InvariantCulture)), seconds, stopping),
                ["call", var targets, var size, var outstanding, var seconds] =>
                    await UntilAsync(self, self.CallImpulse(targets, Int(size), Int(outstanding)), seconds, stopping),
                ["paced", var target, var size, var rate, var seconds] =>
                    await Pacing.RunAsync(self, target, Int(size), Int(rate), Double(seconds)),
                ["once", var target, var size] => (await self.RelayImpulse(target, new byte[Int(size)])).Length,
                ["grow", var megabytes] => await CountAsync(self.GrowImpulse(Int(megabytes)), 1),
                ["save"] => await CountAsync(self.SaveImpulse(), 1),
                ["taken"] => await self.TakenImpulse(),
                _ => throw new ArgumentException($"There is no command {line}."),
            };
            var outcome = new Outcome(messages, Stopwatch.GetElapsedTime(start).TotalSeconds, Latencies.Take());
            Console.Out.WriteLine(DeskWords.Answer + JsonSerializer.Serialize(outcome));
        }
    }

    // 0 seconds: it ends by itself.
    private static async Task<long> UntilAsync(WorkerProxy self, Task<long> work, string seconds, CancellationToken stopping)
    {
        if (Double(seconds) > 0)
        {
            await Task.Delay(TimeSpan.FromSeconds(Double(seconds)), stopping);
            await self.StopImpulse();
        }

        return await work;
    }

    private static async Task<long> CountAsync(Task work, long count)
    {
        await work;
        return count;
    }

    private static int Int(string word) => int.Parse(word, CultureInfo.InvariantCulture);

    private static double Double(string word) => double.Parse(word, CultureInfo.InvariantCulture);
}
