using System.Diagnostics;
using System.Globalization;
using Ambrosia.PowerCut.Tests.Writing;
using Ambrosia.SystemFaults.Tests.Shim;
using Ambrosia.SystemFaults.Tests.Writing;

namespace Ambrosia.SystemFaults.Tests.Running;

/// <summary>Every call that the log store makes, on every kind of file, with every error that it can give.</summary>
internal static class LogStoreFaults
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(240);

    /// <summary>Returns the exit code.</summary>
    public static async Task<int> RunAsync(string place)
    {
        Console.WriteLine($"AMBROSIA_FAULT_SEED={FaultSettings.Seed}");
        var watch = Stopwatch.StartNew();
        var random = new Random(FaultSettings.Seed);
        string folder = Path.Combine(place, "store");
        Directory.CreateDirectory(folder);
        var promise = new Promise();
        var table = new FaultTable();
        var violations = new List<string>();
        foreach (Fault fault in await PlanAsync(folder, promise, random))
        {
            try
            {
                await LiveAsync(folder, promise, fault, random, table);
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                violations.Add($"{fault}: {error}");
                FaultShim.Disarm();
                // The next fault gets a log of its own.
                OpenFiles.CloseBelow(folder);
                folder = Path.Combine(place, string.Create(CultureInfo.InvariantCulture, $"store{violations.Count}"));
                Directory.CreateDirectory(folder);
                promise = new Promise();
            }
        }

        Print(table, watch.Elapsed);
        if (table.Struck < 300 * FaultSettings.Rounds)
        {
            violations.Add($"only {table.Struck} faults struck");
        }

        violations.ForEach(static line => Console.WriteLine("VIOLATION " + line));
        return violations.Count == 0 ? 0 : 1;
    }

    /// <summary>A fault in one life, then a life without, which must find everything.</summary>
    private static async Task LiveAsync(string folder, Promise promise, Fault fault, Random random, FaultTable table)
    {
        FaultShim.Arm(folder, fault);
        string outcome = await new FaultLife(folder, promise, fault, random).RunAsync().WaitAsync(s_patience);
        bool struck = FaultShim.Disarm() > 0;
        OpenFiles.CloseBelow(folder);
        table.Add(fault, struck, outcome);
        if (!struck && outcome != "went on")
        {
            throw new BrokenPromiseException($"without a fault it ended: {outcome}");
        }

        if (!outcome.EndsWith("went on", StringComparison.Ordinal))
        {
            string after = await new FaultLife(folder, promise, null, random).RunAsync().WaitAsync(s_patience);
            if (after != "went on")
            {
                throw new BrokenPromiseException($"after the fault it ended: {after}");
            }
        }
    }

    /// <summary>Lives without a fault show which calls there are; each meets each of its errors, once and for ever.</summary>
    private static async Task<List<Fault>> PlanAsync(string folder, Promise promise, Random random)
    {
        await new FaultLife(folder, promise, null, random).RunAsync();
        FaultShim.Arm(folder, null);
        await new FaultLife(folder, promise, null, random).RunAsync();
        IReadOnlyList<(string Call, string Kind, int Count)> calls = FaultShim.Counts();
        FaultShim.Disarm();
        var faults = new List<Fault>();
        for (int round = 0; round < FaultSettings.Rounds; round++)
        {
            foreach ((string call, string kind, int count) in calls)
            {
                foreach (int error in FaultErrors.OfFiles.GetValueOrDefault(call) ?? [])
                {
                    faults.Add(new Fault(call, kind, random.Next(1, count + 1), error, 1));
                    if (error is not (FaultErrors.Interrupted or FaultErrors.Short))
                    {
                        faults.Add(new Fault(call, kind, random.Next(1, count + 1), error, 0));
                    }
                }
            }
        }

        faults.Add(new Fault("fdatasync", "segment", 5, 0, 1, DelayMs: 400));
        Fault[] shuffled = [.. faults];
        random.Shuffle(shuffled);
        return [.. shuffled];
    }

    private static void Print(FaultTable table, TimeSpan elapsed)
    {
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{table.Struck} system-call faults of the log store in {elapsed.TotalSeconds:0} s ({table.Missed} were not reached), by "
            + $"call and error:"));
        foreach (string line in table.Lines())
        {
            Console.WriteLine(line);
        }
    }
}
