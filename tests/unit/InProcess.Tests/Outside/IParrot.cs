using System.Numerics;
using System.Runtime.Serialization;

namespace Ambrosia.InProcess.Tests.Outside;

/// <summary>Says what it hears: every type there and back.</summary>
[ImmortalInterface]
public interface IParrot
{
    [Impulse]
    Everything Say(Everything all);

    [Impulse]
    [Throws(typeof(TooLoudException))]
    long Count(long by = 1, Colour colour = Colour.Blue, Guid id = default, string? note = null);

    [Impulse]
    Task<decimal> Later(decimal price);

    [Impulse]
    void Forget();
}

public enum Colour : byte
{
    Red = 1,
    Blue = 7,
}

[Ambrosia.Union(1, typeof(Card)), Ambrosia.Union(2, typeof(Cash))]
public abstract record Payment;

public sealed record Card(string Number) : Payment;

[DataContract]
public sealed record Cash : Payment
{
    [DataMember(Order = 0)]
    public int Coins { get; init; }

    [DataMember(Order = 2)]
    public decimal? Notes { get; init; }
}

public readonly record struct Line(string Item, decimal Price, Colour Colour = Colour.Red);

public sealed record Everything(
    bool Yes, sbyte Tiny, byte Small, short Short, ushort Word, int Whole, uint Positive, long Long, ulong Large, Int128 Huge, UInt128 Vast,
    BigInteger Endless, Half Half, float Single, double Double, decimal Decimal, char Char, string Text, Uri Uri, Version Version, Guid Id,
    byte[] Bytes, DateTime Time, DateTimeOffset Clock, DateOnly Date, TimeOnly TimeOfDay, TimeSpan Span)
{
    public Colour? Colour { get; init; }

    public List<Line> Lines { get; init; } = [];

    public Dictionary<Colour, int[]> ByColour { get; init; } = [];

    public Dictionary<DateOnly, (int, string?)> ByDate { get; init; } = [];

    public HashSet<string> Set { get; init; } = [];

    public Payment? Payment { get; init; }

    public Everything? Inner { get; init; }
}

public sealed class TooLoudException(long by) : Exception($"{by} is too loud")
{
    public long By { get; } = by;
}
