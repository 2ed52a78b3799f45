namespace Ambrosia.Coordinator.Ingest;

/// <summary>What a process has done with calls from outside; the numbers only grow.</summary>
internal sealed class OutsideFigures
{
    /// <summary>Calls that went into the log.</summary>
    public long Admitted { get; set; }

    /// <summary>Repeats of calls that were there.</summary>
    public long Repeated { get; set; }
}
