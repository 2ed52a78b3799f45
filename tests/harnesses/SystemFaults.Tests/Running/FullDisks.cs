using System.Diagnostics;
using System.Globalization;
using Ambrosia.PowerCut.Tests.Volumes;
using Ambrosia.PowerCut.Tests.Writing;
using Ambrosia.SystemFaults.Tests.Writing;

namespace Ambrosia.SystemFaults.Tests.Running;

/// <summary>Real file systems that fill up to the last block while the log is written, are started on while full, and are freed
/// again.</summary>
internal static class FullDisks
{
    /// <summary>Returns the exit code.</summary>
    public static async Task<int> RunAsync(string place)
    {
        var watch = Stopwatch.StartNew();
        var random = new Random(FaultSettings.Seed);
        var outcomes = new SortedDictionary<string, int>(StringComparer.Ordinal);
        var violations = new List<string>();
        if (Kernel.Mount("tmpfs", place, "tmpfs", 0, "size=2g") != 0)
        {
            violations.Add($"the folder for the disks cannot be mounted: {Kernel.Reason}");
        }

        foreach (VolumeKind kind in violations.Count > 0 ? [] : (VolumeKind[])[VolumeKind.All[0], VolumeKind.All[2]])
        {
            try
            {
                await FillAsync(kind, place, random, outcomes);
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                violations.Add($"{kind.Name}: {error}");
            }
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{outcomes.Values.Sum()} lives on disks without room in {watch.Elapsed.TotalSeconds:0} s, "
            + $"AMBROSIA_FAULT_SEED={FaultSettings.Seed}:"));
        Console.WriteLine("  " + string.Join(", ", outcomes.Select(static pair => $"{pair.Key} {pair.Value}")));
        if (!outcomes.Keys.Any(static outcome => !outcome.EndsWith(": went on", StringComparison.Ordinal)))
        {
            violations.Add("no disk was ever full");
        }

        violations.ForEach(static line => Console.WriteLine("VIOLATION " + line));
        return violations.Count == 0 ? 0 : 1;
    }

    private static async Task FillAsync(VolumeKind kind, string place, Random random, SortedDictionary<string, int> outcomes)
    {
        using Volume volume = Volume.Create(kind, place, "full-" + kind.FileSystem);
        volume.Mount();
        string store = Path.Combine(volume.Folder, "store");
        string filler = Path.Combine(volume.Folder, "filler");
        var promise = new Promise();
        Require(await new FaultLife(store, promise, null, random).RunAsync(), "on an empty disk");
        for (int round = 0; round < FaultSettings.FullDisks; round++)
        {
            // A little room is left, so that it ends somewhere in the middle.
            Fill(filler, random.Next(4) == 0 ? 0 : random.Next(400_000));
            for (int life = 0; life < 2; life++)
            {
                string outcome = $"{kind.Name}: {await new FaultLife(store, promise, null, random) { MayRefuse = true }.RunAsync()}";
                outcomes[outcome] = outcomes.GetValueOrDefault(outcome) + 1;
                OpenFiles.CloseBelow(store);
            }

            File.Delete(filler);
            Require(await new FaultLife(store, promise, null, random).RunAsync(), "after room was made");
        }
    }

    /// <summary>Takes all room but this many bytes.</summary>
    private static void Fill(string filler, int leave)
    {
        byte[] block = new byte[64 * 1024];
        using (FileStream file = File.Create(filler))
        {
            try
            {
                while (true)
                {
                    file.Write(block);
                    file.Flush(flushToDisk: true);
                }
            }
            catch (IOException)
            {
                // Full.
            }
        }

        long length = new FileInfo(filler).Length;
        using (FileStream file = File.OpenWrite(filler))
        {
            file.SetLength(Math.Max(0, length - leave));
        }
    }

    private static void Require(string outcome, string when)
    {
        if (outcome != "went on")
        {
            throw new BrokenPromiseException($"{when} it ended: {outcome}");
        }
    }
}
