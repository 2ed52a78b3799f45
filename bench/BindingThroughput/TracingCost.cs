using System.Diagnostics;
using System.Text.Json;
using Ambrosia.Protocol;

namespace Ambrosia.Bench;

/// <summary>
/// What traces cost the binding: rounds with and without somebody who listens take turns in one process. Processor time is compared, which
/// a busy machine changes least. Each pair gives a ratio; the median is the figure.
/// </summary>
internal static class TracingCost
{
    private const int Pairs = 15;
    private const int Records = 200;
    private const int RecordBytes = 256 * 1024;

    /// <summary>Measures with this share of calls traced, and prints a line for each kind of message.</summary>
    public static async Task MeasureAsync(double share)
    {
        await MeasureAsync("fork", share, static (size, _) => Messages.Of(1, RpcKind.Fork, size), 16);
        await MeasureAsync("fork", share, static (size, _) => Messages.Of(1, RpcKind.Fork, size), 1024);
        await MeasureAsync("reply", share, static (size, number) => Messages.Of(3, RpcKind.Async, size, number), 16);
    }

    private static async Task MeasureAsync(string name, double share, Func<int, long, byte[]> message, int size)
    {
        int perRecord = RecordBytes / message(size, 1 << 20).Length;
        byte[] payload = [.. Enumerable.Range(0, perRecord).SelectMany(i => message(size, (1 << 20) + i))];
        var peer = new InMemoryPeer();
        await peer.AttachAsync(new Relay(), share);
        long spans = 0;
        await RunAsync(peer, payload, perRecord); // Warm-up, without and with.
        using (Listen(() => spans++))
        {
            await RunAsync(peer, payload, perRecord);
        }

        spans = 0;
        List<double> ratios = [];
        List<double> plain = [];
        for (int pair = 0; pair < Pairs; pair++)
        {
            double without = await RunAsync(peer, payload, perRecord);
            double with;
            using (Listen(() => spans++))
            {
                with = await RunAsync(peer, payload, perRecord);
            }

            plain.Add(without);
            ratios.Add(without / with);
        }

        await peer.DetachAsync();
        long messages = (long)Pairs * Records * perRecord;
        ratios.Sort();
        plain.Sort();
        Console.WriteLine(JsonSerializer.Serialize(new
        {
            benchmark = "tracing", kind = name, payload = size, share, spansPerMessage = Math.Round((double)spans / messages, 5),
            nanosecondsPerMessage = Math.Round(plain[Pairs / 2], 1),
            addedNanoseconds = Math.Round(plain[Pairs / 2] * ((1 / ratios[Pairs / 2]) - 1), 1), ratio = Math.Round(ratios[Pairs / 2], 3),
            min = Math.Round(ratios[0], 3), max = Math.Round(ratios[^1], 3),
        }));
    }

    // Nanoseconds of processor time per message, all threads together.
    private static async Task<double> RunAsync(InMemoryPeer peer, byte[] payload, int perRecord)
    {
        using var process = Process.GetCurrentProcess();
        TimeSpan before = process.TotalProcessorTime;
        await peer.RunAsync(payload, perRecord, Records);
        process.Refresh();
        return (process.TotalProcessorTime - before).TotalNanoseconds / ((double)Records * perRecord);
    }

    private static ActivityListener Listen(Action stopped)
    {
        var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ambrosia",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _ => stopped(),
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }
}
