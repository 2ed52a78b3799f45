using System.Diagnostics;

namespace Ambrosia.Bench.Immortals;

/// <summary>Offers calls at a rate of its own, whatever comes back: what an outside world does. A call's time counts from when it should have begun.</summary>
internal static class Pacing
{
    private const int MostUnderWay = 20_000;

    /// <summary>Offers <paramref name="rate"/> calls a second; returns how many were answered.</summary>
    public static async Task<long> RunAsync(WorkerProxy self, string target, int size, int rate, double seconds)
    {
        long start = Stopwatch.GetTimestamp();
        long total = (long)(rate * seconds);
        var underWay = new SemaphoreSlim(MostUnderWay);
        byte[] payload = new byte[size];
        long answered = 0;
        for (long i = 0; i < total && Stopwatch.GetElapsedTime(start).TotalSeconds < 2 * seconds;)
        {
            long due = Math.Min(total, (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * rate) + 1);
            for (; i < due; i++)
            {
                await underWay.WaitAsync();
                _ = OneAsync(i);
            }

            await Task.Delay(1);
        }

        for (int i = 0; i < MostUnderWay; i++)
        {
            await underWay.WaitAsync();
        }

        return Interlocked.Read(ref answered);

        async Task OneAsync(long number)
        {
            long intended = start + (long)(number * (double)Stopwatch.Frequency / rate);
            await self.RelayImpulse(target, payload);
            Latencies.Add(Math.Max(Stopwatch.GetElapsedTime(intended).TotalMicroseconds, 0));
            Interlocked.Increment(ref answered);
            underWay.Release();
        }
    }
}
