using System.Text;

namespace Ambrosia.CSharpBinding.Tests.Serialization;

/// <summary>Random values that favour the edges where the format changes its form. The same seed gives the same values.</summary>
internal sealed class Values(int seed)
{
    private static readonly int[] s_counts = [0, 1, 2, 14, 15, 16, 17, 31, 32, 33, 255, 256, 300];
    private readonly Random _random = new(seed);

    public bool Bool() => _random.Next(2) == 0;

    public int Count() => s_counts[_random.Next(s_counts.Length)];

    /// <summary>A number near a power of two, of either sign.</summary>
    public long Integer()
    {
        long value = unchecked((1L << _random.Next(64)) + _random.Next(-2, 3));
        return Bool() ? value : unchecked(-value);
    }

    public double Number() => _random.Next(8) switch
    {
        0 => 0,
        1 => double.NegativeInfinity,
        2 => double.Epsilon,
        3 => _random.Next(-5, 5),
        _ => (_random.NextDouble() - 0.5) * Math.Pow(10, _random.Next(-20, 20)),
    };

    public decimal Money() => new(_random.Next(), _random.Next(), _random.Next(), Bool(), (byte)_random.Next(29));

    public byte[] Bytes()
    {
        byte[] bytes = new byte[Count()];
        _random.NextBytes(bytes);
        return bytes;
    }

    public string Text()
    {
        StringBuilder text = new();
        for (int left = Count(); left > 0; left--)
        {
            text.Append(_random.Next(8) switch { 0 => "ä", 1 => "❤", 2 => "🍺", 3 => "\0", _ => "x" });
        }

        return text.ToString();
    }

    public Guid Guid()
    {
        byte[] bytes = new byte[16];
        _random.NextBytes(bytes);
        return new Guid(bytes);
    }

    public DateTime Time() => new(_random.NextInt64(DateTime.MaxValue.Ticks), DateTimeKind.Utc);

    public DateTimeOffset TimeWithOffset() =>
        new DateTimeOffset(Math.Clamp(Time().Ticks, TimeSpan.TicksPerDay, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay), TimeSpan.Zero)
            .ToOffset(TimeSpan.FromMinutes(_random.Next(-14 * 60, (14 * 60) + 1)));
}
