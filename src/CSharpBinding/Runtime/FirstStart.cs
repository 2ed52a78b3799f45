namespace Ambrosia.Runtime;

/// <summary>
/// Whether the immortal has had its first start. State like any other: it runs once, even if the reserved method is sent again.
/// </summary>
internal sealed class FirstStart
{
    private bool _done;

    /// <summary>True for the first asker ever, in the order of the log.</summary>
    public bool Begin()
    {
        bool first = !_done;
        _done = true;
        return first;
    }
}
