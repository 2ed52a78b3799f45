namespace Ambrosia.Protocol;

/// <summary>How an app answered a query.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum QueryStatus : byte
{
    /// <summary>The result follows.</summary>
    Answered = 0,

    /// <summary>The app has no such query, or answers none; a reason follows, if it gives one.</summary>
    Unknown = 1,

    /// <summary>It threw, or did what a query may not; the reason follows.</summary>
    Failed = 2,
}
