namespace Ambrosia.Simulation.Tests;

/// <summary>What all apps of one cluster do, drawn afresh for each seed: how often each kind of step, to whom, how large.</summary>
internal sealed class Workload
{
    private readonly int[] _weights = new int[Enum.GetValues<WalkStep>().Length];
    private readonly int _total;
    private const int Boundary = 200;
    private const int ScriptedOverhead = 256;
    private readonly ulong _salt;
    private readonly int? _maxMessage;

    public Workload(Random random, string[] names, int maxPayload, int? maxMessage)
    {
        _maxMessage = maxMessage;
        Names = names;
        MaxPayload = maxPayload;
        _salt = (ulong)random.NextInt64();
        MaxSteps = random.Next(1, 4);
        Ballast = random.Next(12) == 0 ? 600_000 : 0;
        LargeOneIn = (ulong)random.Next(2, maxPayload > 20_000 ? 5 : 20);
        for (int i = 0; i < _weights.Length; i++)
        {
            // A third of the kinds is left out: what is rare in a mix of everything must be common somewhere.
            _weights[i] = random.Next(3) == 0 ? 0 : random.Next(1, 10);
        }

        _weights[(int)WalkStep.Fork] += 3;
        _total = _weights.Sum();
    }

    public string[] Names { get; }

    public int MaxPayload { get; }

    public int MaxSteps { get; }

    /// <summary>Bytes of dead weight in an app's state.</summary>
    public int Ballast { get; }

    public ulong LargeOneIn { get; }

    /// <summary>
    /// Bytes of messages that a person writing them by hand may send in one run: it must not exceed the largest message either.
    /// </summary>
    public int LargestRun => (_maxMessage ?? int.MaxValue) / 2;

    /// <summary>Steps of a handler.</summary>
    public int StepsOf(ulong id) => (int)(Bits.Mix(id, _salt) % (ulong)(MaxSteps + 1));

    public WalkStep StepOf(ulong id, int number)
    {
        int drawn = (int)(Bits.Mix(id, _salt + (ulong)number + 1) % (ulong)_total);
        int step = 0;
        while (drawn >= _weights[step])
        {
            drawn -= _weights[step++];
        }

        return (WalkStep)step;
    }

    /// <summary>Apps of some seeds hold something now and then that cannot be saved. It follows from the state, and takes nothing from the
    /// random numbers of the others.</summary>
    public bool CannotBeSaved(ulong state) => _salt % 4 == 0 && Bits.Mix(state, _salt) % 3 == 0;

    public string DestinationOf(ulong id) => Names[Bits.Mix(id, _salt + 1000) % (ulong)Names.Length];

    /// <summary>Mostly empty, sometimes larger than a page; its content follows from the id.</summary>
    public byte[] LoadOf(ulong id)
    {
        if (!IsAtLimit(id) && Bits.Mix(id, 7) % LargeOneIn != 0)
        {
            return [];
        }

        ulong drawn = Bits.Mix(id, 8);
        byte[] load = new byte[IsAtLimit(id) ? (ulong)(_maxMessage! - Boundary) + drawn % Boundary : drawn % (ulong)MaxPayload];
        load.AsSpan().Fill((byte)id);
        return load;
    }

    /// <summary>Where the load is too large for a message, it is left out.</summary>
    public bool IsLoadOf(ulong id, ReadOnlySpan<byte> load) => load.SequenceEqual(LoadOf(id)) || (load.IsEmpty && IsAtLimit(id));

    /// <summary>A load that a person writing messages by hand may send: well below the limit.</summary>
    public byte[] ScriptedLoadOf(ulong id) =>
        LoadOf(id) is var load && load.Length + ScriptedOverhead <= (_maxMessage ?? int.MaxValue) ? load : [];

    // Some just fit into the largest message, and some just do not.
    private bool IsAtLimit(ulong id) => _maxMessage is not null && Bits.Mix(id, 21) % 12 == 0;

    /// <summary>What <see cref="IWalker.Ask"/> answers.</summary>
    public static ulong AnswerTo(ulong id) => Bits.Mix(id, 999);

    /// <summary>Whether it refuses instead.</summary>
    public static bool IsRefused(ulong id) => Bits.Mix(id, 13) % 12 == 0;
}
