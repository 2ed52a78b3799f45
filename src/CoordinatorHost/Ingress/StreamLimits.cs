namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Limits of streams of calls. A call on one of them is a request beside it.</summary>
internal sealed record StreamLimits
{
    /// <summary>Streams that are open at once.</summary>
    public int Open { get; init; } = 2048;

    /// <summary>The same of one caller.</summary>
    public int OpenOfOne { get; init; } = 1024;

    /// <summary>How long one may be open.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How long it may be open without a call.</summary>
    public TimeSpan Idle { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Replies that may wait to be written, before it is not read further.</summary>
    public int Replies { get; init; } = 1024;
}
