namespace Ambrosia;

/// <summary>The party that was to complete an awakeable has rejected it instead. The message is the reason that was given.</summary>
public sealed class AwakeableRejectedException : Exception
{
    /// <summary>An exception with the reason that was given.</summary>
    public AwakeableRejectedException(string message)
        : base(message)
    {
    }
}
