namespace Ambrosia.Simulation.Tests;

/// <summary>What a seed draws before it starts: sizes small enough that every limit is met, and a mix of faults of its own.</summary>
internal sealed record SimSettings(
    int Instances, int Scripted, int Steps, long SegmentSize, int PageSize, long CheckpointEvery, long MaxBuffered, long MaxLag,
    long MaxSpill, int MaxPayload,
    int LinkBuffer, AppSizes App, double FaultRate, int ImpulseOneIn)
{
    private readonly double[] _weights = new double[Enum.GetValues<SimFault>().Length];

    /// <summary>Instances whose app is scripted instead of running on the binding: a bit each.</summary>
    public bool IsScripted(int instance) => (Scripted >> instance & 1) != 0;

    /// <summary>Some checkpointers are slow, which takes nothing from the random numbers of all the others. Their states are small: 64 KiB
    /// take seconds.</summary>
    public long CheckpointRate => Steps % 3 == 0 ? 20_000 : 0;

    public static SimSettings Draw(Random random)
    {
        bool heavy = random.Next(8) == 0; // Messages that fill chunks: output to instances that are away goes to the scratch file.
        // Not both: an instance that calls itself may hold itself up for good at both limits (docs/internals/exactly-once.md H18).
        bool tightLag;
        var settings = new SimSettings(
            Instances: random.Next(8) switch { 0 => 5, 1 => 4, < 5 => 3, _ => 2 },
            Scripted: random.Next(32) & random.Next(32),
            Steps: random.Next(300, 1500),
            SegmentSize: heavy ? 256 << 10 : 64 << 10,
            PageSize: random.Next(2) == 0 ? 4096 : 16 << 10,
            CheckpointEvery: random.Next(4) switch { 0 => 2_000, 1 => 20_000, _ => 100_000 },
            MaxBuffered: heavy || random.Next(3) == 0 ? 1 : 1 << 20,
            MaxLag: (tightLag = random.Next(3) == 0) ? 10_000 : 1 << 30,
            MaxSpill: random.Next(4) == 0 && !tightLag ? 100_000 : 1 << 30,
            MaxPayload: heavy ? 100_000 : random.Next(4) == 0 ? 20_000 : 300,
            LinkBuffer: heavy ? 64 << 10 : random.Next(2) == 0 ? 4096 : 1024,
            App: new AppSizes(random.Next(3) == 0 ? 1024 : 16 << 10, random.Next(3) == 0 ? 2048 : 1 << 20),
            FaultRate: random.NextDouble() * 0.03,
            ImpulseOneIn: random.Next(20, 100));
        for (int i = 0; i < settings._weights.Length; i++)
        {
            // Of all kinds some: a mix of everything hides what two of them do together.
            settings._weights[i] = random.Next(3) == 0 ? random.NextDouble() : 0;
        }

        settings._weights[(int)(random.Next(2) == 0 ? SimFault.CoordinatorKilled : SimFault.AppKilled)] += 0.2;
        return settings;
    }

    public SimFault DrawFault(Random random)
    {
        double drawn = random.NextDouble() * _weights.Sum();
        int fault = 0;
        while (drawn >= _weights[fault])
        {
            drawn -= _weights[fault++];
        }

        return (SimFault)fault;
    }
}
