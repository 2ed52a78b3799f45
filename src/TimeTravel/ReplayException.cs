namespace Ambrosia.TimeTravel;

/// <summary>A replay cannot be begun or cannot go on: one sentence for people.</summary>
public class ReplayException : Exception
{
    /// <summary>Cannot go on, because of this.</summary>
    public ReplayException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
