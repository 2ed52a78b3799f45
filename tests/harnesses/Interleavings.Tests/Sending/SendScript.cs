namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>How much a sender sends in a schedule, and how often what goes wrong.</summary>
public sealed record SendScript(string Name, int Messages, int Impulses, int Payload, long MemoryLimit)
{
    public int Cuts { get; init; } = 1;

    public int ReceiverCrashes { get; init; } = 1;

    public int ReceiverPromotions { get; init; }

    public int SenderCrashes { get; init; } = 1;

    public int Reattachments { get; init; } = 1;

    public int Checkpoints { get; init; } = 1;

    /// <summary>In percent of all schedules.</summary>
    public int Share { get; init; } = 22;

    public static IReadOnlyList<SendScript> All { get; } =
    [
        new("cut links", 6, 3, 8, 1 << 20) { Cuts = 3, SenderCrashes = 0, ReceiverCrashes = 0, Reattachments = 0 },
        new("both sides crash", 6, 3, 8, 1 << 20) { SenderCrashes = 2, ReceiverCrashes = 2 },
        new("zombies on both sides", 6, 4, 8, 1 << 20)
        {
            ReceiverPromotions = 2, SenderCrashes = 3, ReceiverCrashes = 1, Reattachments = 0,
        },
        new("apps that attach again", 8, 2, 8, 1 << 20) { Reattachments = 3, Checkpoints = 3 },
        new("outputs spill to the scratch file", 5, 1, 150_000, 1) { Share = 4 },
    ];
}
