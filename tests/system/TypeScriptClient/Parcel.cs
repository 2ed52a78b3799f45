namespace TypeScriptClient;

/// <summary>Values of every kind that JSON has no type for.</summary>
public sealed class Parcel
{
    public required string Name { get; set; }

    public long Large { get; set; }

    public ulong? Larger { get; set; }

    public System.Numerics.BigInteger Largest { get; set; }

    public decimal Price { get; set; }

    public double Weight { get; set; }

    public DateTimeOffset Sent { get; set; }

    public DateOnly Day { get; set; }

    public TimeSpan Took { get; set; }

    public byte[] Seal { get; set; } = [];

    public Guid Id { get; set; }

    public Colour Colour { get; set; } = Colour.Red;

    public Shape? Shape { get; set; }

    public List<long> Numbers { get; set; } = [];

    public Dictionary<string, decimal> Prices { get; set; } = [];

    public Dictionary<long, string> Shelves { get; set; } = [];

    public (long, string) Pair { get; set; } = (0, "");

    public Parcel? Inner { get; set; }
}
