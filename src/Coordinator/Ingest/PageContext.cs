namespace Ambrosia.Coordinator.Ingest;

/// <summary>What the log keeps with each of its pages for us: the marks of the record being gathered there.</summary>
internal sealed class PageContext
{
    public required PageMarks Marks { get; set; }
}
