using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Ambrosia.Bench.Immortals;

/// <summary>Offers calls at a rate of its own, whatever comes back: what an outside world does. A call's time counts from when it should
/// have begun.</summary>
internal static partial class Pacing
{
    private const int MostUnderWay = 20_000;
    private const long ShortestRest = 20_000;
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Offers <paramref name="rate"/> calls a second; returns how many were answered.</summary>
    public static async Task<long> RunAsync(WorkerProxy self, string target, int size, int rate, double seconds)
    {
        long start = Stopwatch.GetTimestamp();
        var underWay = new SemaphoreSlim(MostUnderWay);
        byte[] payload = new byte[size];
        long answered = 0;
        await Task.Factory.StartNew(Offer, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        for (int i = 0; i < MostUnderWay; i++)
        {
            await underWay.WaitAsync();
        }

        return Interlocked.Read(ref answered);

        // On a thread of its own that the system wakes: the runtime's timers are some milliseconds late, and that would be measured.
        void Offer()
        {
            long total = (long)(rate * seconds);
            for (long i = 0; i < total && Stopwatch.GetElapsedTime(start).TotalSeconds < 2 * seconds;)
            {
                long due = Math.Min(total, (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * rate) + 1);
                for (; i < due; i++)
                {
                    underWay.Wait();
                    _ = OneAsync(i);
                }

                Rest(Math.Max(ShortestRest,
                    (long)(((double)i / rate * NanosecondsPerSecond) - Stopwatch.GetElapsedTime(start).TotalNanoseconds)));
            }
        }

        async Task OneAsync(long number)
        {
            long intended = start + (long)(number * (double)Stopwatch.Frequency / rate);
            await self.RelayImpulse(target, payload);
            Latencies.Add(Math.Max(Stopwatch.GetElapsedTime(intended).TotalMicroseconds, 0));
            Interlocked.Increment(ref answered);
            underWay.Release();
        }
    }

    private static unsafe void Rest(long nanoseconds)
    {
        long* time = stackalloc long[2];
        (time[0], time[1]) = (nanoseconds / NanosecondsPerSecond, nanoseconds % NanosecondsPerSecond);
        _ = Sleep(time, null); // Woken early by a signal: the loop looks at the clock.
    }

    [LibraryImport("libc", EntryPoint = "nanosleep")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static unsafe partial int Sleep(long* time, long* remaining);
}
