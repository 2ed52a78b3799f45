namespace Ambrosia.Coordinator.Outside;

/// <summary>A durable call that is kept.</summary>
/// <param name="line">Its line.</param>
/// <param name="mark">What the log says of it.</param>
/// <param name="lsn">The record that holds it.</param>
internal sealed class OutsideCall(OutsideLine line, LineCall mark, ulong lsn)
{
    /// <summary>Its line.</summary>
    public OutsideLine Line => line;

    /// <summary>What the log says of it.</summary>
    public LineCall Mark => mark;

    /// <summary>The record that holds it.</summary>
    public ulong Lsn => lsn;

    /// <summary>Its answer; null while it is pending.</summary>
    public OutsideAnswer? Answer { get; set; }
}
