namespace Ambrosia.Coordinator.Outside;

/// <summary>A key, and its calls: one of a named key, many of a numbered one.</summary>
internal sealed class OutsideLine(OutsideCaller caller, KeyHash key, ulong number, ulong born)
{
    /// <summary>Whose it is.</summary>
    public OutsideCaller Caller => caller;

    /// <summary>The key.</summary>
    public KeyHash Key => key;

    /// <summary>Its number: lines are numbered in the order of the log.</summary>
    public ulong Number => number;

    /// <summary>When the key says that it was made, in milliseconds since 1970.</summary>
    public ulong Born => born;

    /// <summary>Its caller is done with all calls up to this one.</summary>
    public ulong Low { get; set; }

    /// <summary>When it was used last, by the time of the record, in milliseconds since 1970.</summary>
    public ulong Used { get; set; }

    /// <summary>
    /// When this process learned the last of its answers, in milliseconds since 1970. Only the decision what is forgotten looks at it.
    /// </summary>
    public ulong Answered { get; set; }

    /// <summary>Its place among its caller's lines, in the order of use; null before it has one.</summary>
    public LinkedListNode<OutsideLine>? Place { get; set; }

    /// <summary>Calls that are kept, by their number in the line.</summary>
    public SortedList<ulong, OutsideCall> Calls { get; } = new(1); // Most have one.

    /// <summary>Whether the answer of one of them is still to come.</summary>
    public bool IsPending
    {
        get
        {
            for (int i = 0; i < Calls.Count; i++)
            {
                if (Calls.GetValueAtIndex(i).Answer is null)
                {
                    return true;
                }
            }

            return false;
        }
    }
}
