namespace Ambrosia.Coordinator.Outside;

/// <summary>Bounds of what is kept of calls from outside. A checkpoint grows by no more.</summary>
public sealed record OutsideLimits
{
    /// <summary>Bytes of a caller's name, and of a key's text.</summary>
    public const int MaxCallerBytes = 255;

    /// <summary>Calls that are kept, of all callers.</summary>
    public int MostCalls { get; init; } = 1_000_000;

    /// <summary>Bytes of answers that are kept, of all callers.</summary>
    public long MostAnswerBytes { get; init; } = 256L << 20;

    /// <summary>Of both, one caller may use up so much: one part in this number.</summary>
    public int Shares { get; init; } = 10;

    /// <summary>Callers that are told apart. Of those beyond, only the common horizon is known.</summary>
    public int MostCallers { get; init; } = 10_000;

    /// <summary>Calls of one line above the number that its caller is done with.</summary>
    public int MostOfLine { get; init; } = 1024;

    /// <summary>A line that nobody has asked for so long is forgotten.</summary>
    public TimeSpan Keep { get; init; } = TimeSpan.FromHours(24);

    /// <summary>The same while its caller's share is used up.</summary>
    public TimeSpan KeepLeast { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>How far a caller's clock may be ahead.</summary>
    public TimeSpan MostAhead { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>Calls of one caller.</summary>
    public int CallsOfOne => Math.Max(1, MostCalls / Shares);

    /// <summary>Bytes of answers of one caller.</summary>
    public long AnswerBytesOfOne => Math.Max(1, MostAnswerBytes / Shares);
}
