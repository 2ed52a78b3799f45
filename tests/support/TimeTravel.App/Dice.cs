using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Ambrosia;

namespace TimeTravelApp;

/// <summary>Tells others what it rolls. Up to <see cref="Trigger"/> it is deterministic; what it tells there is not, if it is told to be
/// fickle.</summary>
[SuppressMessage("Ambrosia", "AMB123",
    Justification = "The replay has to find what is not deterministic, and the analyzers must let it pass for that.")]
public sealed class Dice : DiceBase
{
    /// <summary>The roll that is not deterministic.</summary>
    public const long Trigger = 300;

    private readonly HashSet<string> _guests = [];
    private readonly DurableDictionary<string, long> _rolls = [];

    [NotSaved]
    private readonly Fickleness _fickleness;

    [NotSaved]
    private long _unsaved;

    public Dice()
        : this(Mood.Default)
    {
    }

    public Dice(Fickleness fickleness) => _fickleness = fickleness;

    public override DurableTask Tell(string text) => default;

    public override DurableTask Roll(long number)
    {
        _unsaved++;
        Mood.Count();
        _rolls[$"side {number % 6}"] = number;
        Welcome(number);
        string text = number == Trigger ? Wobble() : "steady";
        Proxy<DiceProxy>("player").TellFork(string.Create(CultureInfo.InvariantCulture, $"{number} {text}"));
        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) => DiceDoor.Open(context, This);

    // One guest leaves at the beginning: its place is taken by the one who comes last, unless a recovery has closed the ranks meanwhile.
    private void Welcome(long number)
    {
        if (number == 0)
        {
            _guests.UnionWith(["first", "second", "third"]);
            _guests.Remove("first");
        }
        else if (number == Trigger)
        {
            _guests.Add("last");
        }
    }

// The analyzers refuse all of this at compile time; what gets past them must be found by replaying.
#pragma warning disable AMB101, AMB105, AMB106, AMB111, CA5394
    private string Wobble()
    {
        switch (_fickleness)
        {
            case Fickleness.OrderOfHashSet:
                foreach (string guest in _guests)
                {
                    Proxy<DiceProxy>(guest).TellFork("welcome");
                }

                return "";
            case Fickleness.Death:
                Environment.Exit(3);
                return "";
            default:
                return Convert.ToString(Value(), CultureInfo.InvariantCulture)!;
        }
    }

    private object Value() => _fickleness switch
    {
        Fickleness.Clock => DateTime.UtcNow.Ticks,
        Fickleness.Ticks => System.Diagnostics.Stopwatch.GetTimestamp(),
        Fickleness.RandomNumber => new Random().NextInt64(),
        Fickleness.Identifier => Guid.NewGuid(),
        Fickleness.HashCode => "dice".GetHashCode(StringComparison.Ordinal),
        Fickleness.ProcessNumber => Environment.ProcessId,
        Fickleness.Thread => RaceWithAnother(),
        Fickleness.StaticField => Mood.Rolled,
        Fickleness.UnsavedField => _unsaved,
        Fickleness.Environment => Environment.GetEnvironmentVariable("AMBROSIA_SOCKET") ?? "none",
        _ => "steady",
    };

    private static long RaceWithAnother()
    {
        long laps = 0;
        bool over = false;
        var other = new Thread(() =>
        {
            while (!Volatile.Read(ref over))
            {
                Interlocked.Increment(ref laps);
            }
        });
        other.Start();
        while (Interlocked.Read(ref laps) < 1000)
        {
        }

        Volatile.Write(ref over, true);
        other.Join();
        return laps;
    }
#pragma warning restore AMB101, AMB105, AMB106, AMB111, CA5394
}
