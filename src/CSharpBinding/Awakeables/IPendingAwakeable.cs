namespace Ambrosia.Runtime;

/// <summary>An awakeable that is open. No reply completes it, whatever its number: only a completion from outside does.</summary>
internal interface IPendingAwakeable : IPendingCall
{
    /// <summary>Full name of the type of its value.</summary>
    string TypeName { get; }

    /// <summary>When it ends, in log time; null if it has no deadline.</summary>
    DateTimeOffset? Deadline { get; }
}
