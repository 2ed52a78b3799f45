using System.ComponentModel;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>
/// What Prometheus' own client libraries tell of a process, under their names and without labels. Of the process, not of an instance: there
/// is one of each, however many instances it runs.
/// </summary>
internal static class ProcessMetrics
{
    private static readonly Meter s_meter = Make();

    /// <summary>Has them measured from here on.</summary>
    public static void Begin() => _ = s_meter;

    private static Meter Make()
    {
        var meter = new Meter("Ambrosia.Process");
        meter.CreateObservableGauge("process.resident_memory", static () => Of(static p => p.WorkingSet64), "By", "Memory occupied");
        meter.CreateObservableCounter("process.cpu", static () => Of(static p => p.TotalProcessorTime.TotalSeconds), "s",
            "Processor time used");
        meter.CreateObservableGauge("process.start_time", static () => Of(SecondsOfStart), "s", "Start of the process, since 1970");
        meter.CreateObservableGauge("process.open_fds", static () => Of(static p => (long)p.HandleCount), "", "Descriptors that are open");
        return meter;
    }

    private static double SecondsOfStart(Process process) => (process.StartTime.ToUniversalTime() - DateTime.UnixEpoch).TotalSeconds;

    // Without a descriptor for /proc there is no figure, and all other metrics are told.
    private static IEnumerable<Measurement<T>> Of<T>(Func<Process, T> figure)
        where T : struct
    {
        try
        {
            using Process own = Process.GetCurrentProcess();
            return [new(figure(own))];
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or Win32Exception or InvalidOperationException)
        {
            return [];
        }
    }
}
