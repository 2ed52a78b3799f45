using Ambrosia.LogStore.Read;

namespace Ambrosia.Inspection;

/// <summary>How much work and memory a log on the page may cost.</summary>
public sealed record PageLogOptions
{
    /// <summary>How far is read: what is proven durable while somebody writes, everything otherwise.</summary>
    public ReadLimit Limit { get; init; } = ReadLimit.Durable;

    /// <summary>Messages that the index holds; the oldest are dropped beyond. Default 20,000,000, some 200 MB.</summary>
    public int MaxMessages { get; init; } = 20_000_000;

    /// <summary>How long one request may read. Default 200 ms.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>The index is given up when nobody has asked for so long. Default: never.</summary>
    public TimeSpan KeptFor { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Clock of both.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
