using System.Diagnostics;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>
/// Some of the inputs of one target, on one thread. Begins with the target's seeds and corpus; an input that is the first to reach an
/// outcome joins them, so that later ones start from there. The same seed gives the same inputs in the same order.
/// </summary>
internal sealed class FuzzShard(FuzzTarget target, ulong seed)
{
    private const int MeasureOneIn = 16;
    private const int MostFindings = 1;
    private readonly FuzzRandom _random = new(seed);
    private readonly List<byte[]> _pool = [];
    private readonly List<Finding> _findings = [];

    public string Name => target.Name;

    public Outcomes Outcomes { get; } = new();

    public IReadOnlyList<Finding> Findings => _findings;

    /// <summary>The first input of each outcome, for the corpus.</summary>
    public Dictionary<string, byte[]> Firsts { get; } = [];

    /// <summary>The largest allocation seen for one input, beside its budget.</summary>
    public (long Bytes, long Budget) Heaviest { get; private set; } = (0, 1);

    /// <summary>The input at work and when it began (in milliseconds of the system's clock since start), for the watchdog.</summary>
    public (byte[] Input, long Since)? Current { get; private set; }

    /// <summary>Executes the seeds, then so many inputs made of them.</summary>
    public void Run(long count)
    {
        _pool.AddRange(target.Seeds());
        _pool.AddRange(Corpus.Load(target.Name).Select(static entry => entry.Input));
        foreach (byte[] known in _pool.ToArray())
        {
            Execute(known, measured: false);
            Execute(known, measured: true);
        }

        var mutator = new Mutator(_random, target.Words, target.Largest);
        for (long i = 0; i < count && _findings.Count < MostFindings; i++)
        {
            mutator.Make(_pool);
            if (!_random.OneIn(4))
            {
                target.Repair(mutator.Bytes);
            }

            Execute(mutator.Memory, i % MeasureOneIn == 0);
        }

        Current = null;
    }

    /// <summary>Executes one input and returns what it counts as.</summary>
    public string Execute(ReadOnlyMemory<byte> input, bool measured)
    {
        if (measured)
        {
            // A copy on each of the measured inputs only: one that hangs is met again soon.
            Current = (input.ToArray(), Environment.TickCount64);
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        string outcome;
        try
        {
            // Random numbers of the target's own come from the input: an input repeats by itself.
            outcome = target.Run(input,
                new FuzzRandom((ulong)input.Length * 31 + (input.IsEmpty ? 0UL : input.Span[^1] + 256UL * input.Span[input.Length / 2])));
        }
        catch (Exception error) when (error is not OutOfMemoryException && target.ReasonOf(error) is { } reason)
        {
            outcome = reason;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Find(input, error is PropertyBrokenException ? error.Message : $"an exception that nobody documented: {error}");
            return "failed";
        }

        if (measured)
        {
            Measure(input, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        if (Outcomes.Add(outcome) && Firsts.TryAdd(Outcomes.PlainOf(outcome), input.ToArray()))
        {
            _pool.Add(input.ToArray());
        }

        return outcome;
    }

    private void Measure(ReadOnlyMemory<byte> input, long allocated)
    {
        long budget = target.AllocationBase + (long)target.AllocationFactor * input.Length;
        if (allocated * Heaviest.Budget > Heaviest.Bytes * budget)
        {
            Heaviest = (allocated, budget);
        }

        // The first time that a piece of code runs, the runtime allocates for itself: only what happens again belongs to the input.
        if (allocated > budget && AllocatedAgain(input) > budget)
        {
            Find(input, $"{allocated} bytes were allocated for {input.Length} bytes of input; {budget} are allowed");
        }
    }

    private long AllocatedAgain(ReadOnlyMemory<byte> input)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            target.Run(input, new FuzzRandom(0));
        }
        catch (Exception error) when (target.ReasonOf(error) is not null)
        {
            Debug.Assert(error is not null, "A refusal allocates, too.");
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private void Find(ReadOnlyMemory<byte> input, string what) =>
        _findings.Add(new Finding(target.Name, Smaller(input.ToArray(), what), what));

    /// <summary>Cuts the input as long as it fails in the same way.</summary>
    private byte[] Smaller(byte[] input, string what)
    {
        for (int cut = input.Length / 2; cut > 0; cut /= 2)
        {
            for (int at = 0; at + cut <= input.Length;)
            {
                byte[] candidate = [.. input[..at], .. input[(at + cut)..]];
                target.Repair(candidate);
                if (FailureOf(candidate) is { } same && Outcomes.PlainOf(same)[..20] == Outcomes.PlainOf(what + new string(' ', 20))[..20])
                {
                    input = candidate;
                }
                else
                {
                    at += cut;
                }
            }
        }

        return input;
    }

    private string? FailureOf(byte[] input)
    {
        try
        {
            target.Run(input, new FuzzRandom(0));
            return null;
        }
        catch (Exception error) when (target.ReasonOf(error) is not null)
        {
            return null;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            return (error is PropertyBrokenException ? error.Message : $"an exception that nobody documented: {error}")
                + new string(' ', 20);
        }
    }
}
