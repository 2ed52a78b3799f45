namespace Ambrosia.Simulation.Tests;

/// <summary>What a seed draws before it starts: sizes small enough that every limit is met.</summary>
internal sealed record SimSettings(
    int Instances, int Steps, long SegmentSize, int PageSize, long CheckpointEvery, long MaxBuffered, long MaxLag, int MaxPayload, double FaultRate)
{
    public static SimSettings Draw(Random random) => new(
        Instances: random.Next(2, 4),
        Steps: random.Next(500, 6000),
        SegmentSize: 64 << 10,
        PageSize: random.Next(2) == 0 ? 4096 : 64 << 10,
        CheckpointEvery: random.Next(4) switch { 0 => 2_000, 1 => 20_000, _ => 100_000 },
        MaxBuffered: random.Next(3) == 0 ? 1 : 1 << 20,
        MaxLag: random.Next(3) == 0 ? 10_000 : 1 << 30,
        MaxPayload: random.Next(3) == 0 ? 20_000 : 300,
        FaultRate: random.NextDouble() * 0.02);
}
