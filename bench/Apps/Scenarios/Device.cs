using System.Diagnostics;
using Ambrosia.Bench.Relay;

namespace Ambrosia.Bench.Scenarios;

/// <summary>What the disk allows at this moment.</summary>
internal static class Device
{
    private const int Block = 4096;
    private const int Blocks = 4096;

    /// <summary>Prints the median time of one synced overwrite of 4 KiB.</summary>
    public static void Measure(Plan plan)
    {
        using var log = new PlainLog(Path.Combine(plan.Folder, "device"), (long)Block * Blocks);
        byte[] block = new byte[Block];
        var medians = new List<double>();
        for (int i = 0; i < plan.Repetitions; i++)
        {
            var times = new List<double>();
            for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start).TotalSeconds < plan.Seconds;)
            {
                long before = Stopwatch.GetTimestamp();
                log.Append(block);
                times.Add(Stopwatch.GetElapsedTime(before).TotalMicroseconds);
            }

            times.Sort();
            medians.Add(times[times.Count / 2]);
        }

        Figure.Print("device: overwrite 4 KiB and fdatasync, p50", "us", Spread.Of(medians));
    }
}
