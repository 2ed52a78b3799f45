using Ambrosia.Coordinator.Context;


namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Limits that are out of reach in a schedule of some thousand steps, made small: in every second seed some of them. Drawn from a source
/// of its own, so that all other
/// seeds do what they did before.
/// </summary>
internal sealed class SimLimits
{
    private const int MessageRoom = 8 << 10;
    private readonly CoreLimits _core = CoreLimits.Product;

    private SimLimits()
    {
    }

    private SimLimits(Random random, SimSettings settings, bool killsByMessages)
    {
        IsOn = true;
        bool slimLog = random.Next(2) == 0;
        _core = new CoreLimits
        {
            DigestsPerRecord = Shrink(random, CoreLimits.Product.DigestsPerRecord, 1, 3),
            DigestBytesPerRecord = Shrink(random, CoreLimits.Product.DigestBytesPerRecord, 1, 200),
            MarksPerRecord = Shrink(random, CoreLimits.Product.MarksPerRecord, 1, 2),
            DigestsBeforeLookahead = Shrink(random, CoreLimits.Product.DigestsBeforeLookahead, 1, 4),
            DigestsHeld = Shrink(random, CoreLimits.Product.DigestsHeld, 4, 20),
            BatchBytes = Shrink(random, CoreLimits.Product.BatchBytes, 300, 4096),
            SpillSegmentBytes = Shrink(random, CoreLimits.Product.SpillSegmentBytes, 1, 10_000),
            DeliveryFlushBytes = Shrink(random, CoreLimits.Product.DeliveryFlushBytes, 1, 1000),
            CachedRecords = Shrink(random, CoreLimits.Product.CachedRecords, 1, 2),
            CachedBytes = Shrink(random, CoreLimits.Product.CachedBytes, 1, 1000),
            DeadLetters = random.Next(3) < 2 ? 1 : CoreLimits.Product.DeadLetters,
            DeadLetterBytes = Shrink(random, CoreLimits.Product.DeadLetterBytes, 40, 1000),
            UnknownSenders = Shrink(random, CoreLimits.Product.UnknownSenders, 0, 1),
            RecordsInOneGo = Shrink(random, CoreLimits.Product.RecordsInOneGo, 1, 3),
            Log = options => slimLog ? options with { PageCount = 2, CheckpointBlockSize = 16 << 10, ZeroAhead = 0,
                SpareSegments = 0 } : options,
        };
        // A message whose turn has left in part is never taken out: where messages kill, nothing else would be tested.
        MaxTurnBytes = random.Next(3) == 0 && !killsByMessages ? random.Next(64, 1000) : null;
        // Not beside a small --max-lag: an instance that calls itself may hold itself up for good at both limits
        // (docs/internals/exactly-once.md H18).
        MaxSpill = random.Next(2) == 0 && settings.MaxLag >= 1 << 30 ? random.Next(500, 5000) : null;
        MaxMessageSize = random.Next(2) == 0 ? settings.MaxPayload + MessageRoom : null;
    }

    /// <summary>Every limit as in the product.</summary>
    public static SimLimits None { get; } = new();

    /// <summary>Whether some are smaller.</summary>
    public bool IsOn { get; }

    /// <summary><c>--max-spill</c>; null for what the settings say.</summary>
    public long? MaxSpill { get; }

    /// <summary><c>--max-message-size</c>, near which some messages are; null for its default.</summary>
    public int? MaxMessageSize { get; }

    /// <summary>Bytes of a turn beyond which its outputs leave before it ends; null for the default.</summary>
    public int? MaxTurnBytes { get; }

    public static SimLimits Of(int seed, SimSettings settings, bool killsByMessages)
    {
        var random = new Random(seed ^ 0x11417);
        return random.Next(2) == 0 ? new SimLimits(random, settings, killsByMessages) : None;
    }

    /// <summary>A coordinator's limits, which tell the report what they decide.</summary>
    public CoreLimits For(SimReport report) => _core with { Decided = report.Decided };

    public override string ToString() => !IsOn ? "limits of the product" : string.Join(
        ", ",
        $"limits: digests {_core.DigestsPerRecord} of {_core.DigestBytesPerRecord}, ahead {_core.DigestsBeforeLookahead}",
        $"held {_core.DigestsHeld}, marks {_core.MarksPerRecord}, batch {_core.BatchBytes}, spill segment {_core.SpillSegmentBytes}",
        $"flush {_core.DeliveryFlushBytes}, cache {_core.CachedRecords} of {_core.CachedBytes}",
        $"letters {_core.DeadLetters} of {_core.DeadLetterBytes}, unknown senders {_core.UnknownSenders}, in one go {_core.RecordsInOneGo}",
        $"turn {MaxTurnBytes}, spill {MaxSpill}, message {MaxMessageSize}");

    // Half of them stay as they are: what one of them does is hidden by what another does before.
    private static int Shrink(Random random, int product, int least, int most) => (int)Shrink(random, (long)product, least, most);

    private static long Shrink(Random random, long product, int least, int most) =>
        random.Next(4) switch { 0 => least, 1 => random.Next(least, most + 1), _ => product };
}
