using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>
/// What Prometheus' own client libraries tell of a process, under their names and without labels. Of the process, not of an instance: there is one of each,
/// however many instances it runs.
/// </summary>
internal static class ProcessMetrics
{
    private static readonly Meter s_meter = Make();

    /// <summary>Has them measured from here on.</summary>
    public static void Begin() => _ = s_meter;

    private static Meter Make()
    {
        var meter = new Meter("Ambrosia.Process");
        meter.CreateObservableGauge("process.resident_memory", () => Of(static process => process.WorkingSet64), "bytes", "Memory that the process occupies");
        meter.CreateObservableCounter(
            "process.cpu", () => Of(static process => process.TotalProcessorTime.TotalSeconds), "s", "Processor time that the process has used");
        meter.CreateObservableGauge(
            "process.start_time", () => Of(static process => (process.StartTime.ToUniversalTime() - DateTime.UnixEpoch).TotalSeconds), "s", "Start of the process, since 1970");
        meter.CreateObservableGauge("process.open_fds", () => Of(static process => (long)process.HandleCount), "", "Descriptors that the process has open");
        return meter;
    }

    // Without a descriptor for /proc there is no figure, and all other metrics are told.
    private static IEnumerable<Measurement<T>> Of<T>(Func<Process, T> figure)
        where T : struct
    {
        try
        {
            using Process own = Process.GetCurrentProcess();
            return [new(figure(own))];
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or System.ComponentModel.Win32Exception or InvalidOperationException)
        {
            return [];
        }
    }
}
