namespace Ambrosia;

/// <summary>Nobody completed an awakeable before its deadline. It is closed: a later completion is told so.</summary>
public sealed class AwakeableExpiredException : TimeoutException
{
    /// <summary>An exception with a message.</summary>
    public AwakeableExpiredException(string message)
        : base(message)
    {
    }
}
