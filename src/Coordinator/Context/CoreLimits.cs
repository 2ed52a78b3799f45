using Ambrosia.Coordinator.Outside;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.Coordinator.Context;

/// <summary>
/// Limits of the core that no option names: how much of one kind is held, or put into one record, batch or file. Tests shrink them until
/// they are reached. No reader knows
/// them: what stands in a log is bounded by its own bytes alone. One that decides something says so by <see cref="Decided"/>.
/// </summary>
public sealed record CoreLimits
{
    internal const int MostBatchBytes = 256 * 1024;
    internal const int MostDeadLetters = 1024;
    internal const long MostDeadLetterBytes = 64L << 20;

    internal static CoreLimits Product { get; } = new();

    /// <summary>Digests of executed records that one record carries. Default 4096.</summary>
    public int DigestsPerRecord { get; init; } = 4096;

    /// <summary>Bytes of digests that one record carries, unless a single digest is larger. Default 256 KiB.</summary>
    public int DigestBytesPerRecord { get; init; } = 256 * 1024;

    /// <summary>Trims that one record carries, and decisions of each kind. Default 4096.</summary>
    public int MarksPerRecord { get; init; } = 4096;

    /// <summary>
    /// Executed records whose digest the log has not told yet, before it is looked for further on in the log. Default 4096.
    /// </summary>
    public int DigestsBeforeLookahead { get; init; } = 4096;

    /// <summary>
    /// Executed records whose digest is kept at most until the log tells it; older ones are not compared. Only a replica reaches it.
    /// Default 65,536.
    /// </summary>
    public int DigestsHeld { get; init; } = 65536;

    /// <summary>Bytes of one batch for a peer, about. A receiver takes as many as the default. Default 256 KiB.</summary>
    public int BatchBytes { get; init; } = MostBatchBytes;

    /// <summary>Bytes of a scratch file at which the next one begins. Default 64 MiB.</summary>
    public long SpillSegmentBytes { get; init; } = 64L << 20;

    /// <summary>
    /// Bytes for an app after which its stream is flushed, and from which on a record goes there without a copy. Default 128 KiB.
    /// </summary>
    public int DeliveryFlushBytes { get; init; } = 128 * 1024;

    /// <summary>Records kept in memory for an app that is a little behind. Default 15.</summary>
    public int CachedRecords { get; init; } = 15;

    /// <summary>Bytes of them. Default 8 MiB.</summary>
    public long CachedBytes { get; init; } = 8L << 20;

    /// <summary>Dead letters kept. Default 1024.</summary>
    public int DeadLetters { get; init; } = MostDeadLetters;

    /// <summary>Bytes of them. Default 64 MiB.</summary>
    public long DeadLetterBytes { get; init; } = MostDeadLetterBytes;

    /// <summary>
    /// Names remembered of those that connected and never sent anything; any process that can connect may invent some. Default 4096.
    /// </summary>
    public int UnknownSenders { get; init; } = 4096;

    /// <summary>What is kept of calls from outside.</summary>
    public OutsideLimits Outside { get; init; } = new();

    /// <summary>Records that a follower applies before others on its context get their turn. Default 64.</summary>
    public int RecordsInOneGo { get; init; } = 64;

    /// <summary>Changes what options say of the log.</summary>
    internal Func<LogStoreOptions, LogStoreOptions> Log { get; init; } = static options => options;

    /// <summary>Called when one of these, or of the options' limits, decides something.</summary>
    internal Action<CoreLimit> Decided { get; init; } = static _ => { };
}
