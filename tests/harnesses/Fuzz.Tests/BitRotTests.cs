using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Fuzz.Tests.Rot;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.Primitives;
using Xunit.Abstractions;

namespace Ambrosia.Fuzz.Tests;

/// <summary>G6: a changed bit of a file at rest is named by file and offset, or changes nothing; never is something else read than was
/// written.</summary>
public sealed class BitRotTests(ITestOutputHelper output)
{
    private const int Shapes = 5;
    private readonly SortedDictionary<string, int> _outcomes = new(StringComparer.Ordinal);

    [Fact]
    public Task A_flipped_bit_is_named_by_file_and_offset_or_provably_harmless() => Places.OnOneThreadAsync(async () =>
    {
        int flips = Settings.Count("AMBROSIA_FUZZ_FLIPS", 250, 2_500, 200_000);
        var random = new FuzzRandom(Settings.Seed);
        using var places = new Places();
        for (int shape = 0; shape < Shapes; shape++)
        {
            RotLog log = await RotLog.MakeAsync(places.New(), shape, random);
            List<Part> parts = Anatomy.Of(log);
            RequireCovered(log, parts);
            ILookup<PartKind, Part> byKind = parts.ToLookup(static part => part.Kind);
            PartKind[] kinds = [.. byKind.Select(static group => group.Key).Order()];
            for (int i = 0; i < flips / Shapes; i++)
            {
                // Kinds in turn, so that the few bytes of a header are hit as often as the many of the records.
                Part part = random.Pick(byKind[kinds[i % kinds.Length]].ToArray());
                await FlipAsync(places, log, shape, part, part.Start + (long)(random.NextUInt64() % (ulong)part.Length),
                    (byte)(1 << random.Next(8)));
            }
        }

        await FlipCatalogAsync(places, random, flips / 10);
        Show($"{_outcomes.Values.Sum()} bits flipped in the files of {Shapes} logs and a catalog");
        Assert.True(_outcomes.Values.Sum() >= flips);
    });

    [Fact]
    public Task A_file_that_was_cut_is_named_or_leaves_an_exact_beginning_of_the_log() => Places.OnOneThreadAsync(async () =>
    {
        var random = new FuzzRandom(Settings.Seed + 1);
        using var places = new Places();
        for (int shape = 0; shape < Shapes; shape++)
        {
            RotLog log = await RotLog.MakeAsync(places.New(), shape, random);
            foreach (IGrouping<string, Part> file in Anatomy.Of(log).GroupBy(static part => part.File))
            {
                // Every length class of every part in a full run; else of a few of them.
                foreach (long length in file.Where(_ => random.OneIn(Settings.Count("AMBROSIA_FUZZ_CUTS", 6, 1, 1)))
                    .SelectMany(static part =>
                        new[] { part.Start, part.Start + 1, part.Start + part.Length / 2, part.Start + part.Length - 1 }).Distinct())
                {
                    await CutAsync(places, log, shape, file.First(part => length >= part.Start && length < part.Start + part.Length),
                        length);
                }
            }
        }

        Show($"{_outcomes.Values.Sum()} cuts of the files of {Shapes} logs");
        Assert.True(_outcomes.Values.Sum() > 50);
    });

    private async Task FlipAsync(Places places, RotLog log, int shape, Part part, long offset, byte mask)
    {
        string copy = places.New();
        log.CopyTo(copy);
        string file = Path.Combine(copy, Path.GetRelativePath(log.Root, part.File));
        FlipBit(file, offset, mask);
        Verdict verdict = await Recovery.RunAsync(copy, log);
        string? complaint = Judge(part, verdict, file, copy);
        if (complaint is not null)
        {
            Assert.Fail($"shape {shape}, {part.Kind} of {Path.GetFileName(file)} at {part.Start}..{part.Start + part.Length}, bit "
                + $"{mask:x2} of byte {offset}: {complaint}; {verdict}\n"
                + $"  repeat with: AMBROSIA_FUZZ_SEED={Settings.Seed} dotnet test tests/harnesses/Fuzz.Tests -c Release "
                + "--filter A_flipped_bit");
        }

        Count(part.Kind, verdict);
        Places.Remove(copy);
    }

    /// <summary>Null when the verdict is what damage of this kind must lead to.</summary>
    private static string? Judge(Part part, Verdict verdict, string file, string copy)
    {
        switch (part.Kind)
        {
            case PartKind.SegmentHeader:
            case PartKind.Record:
                return verdict.Stop is not LogCorruptException { Code: "IC-2001" } damage ? "damage must stop it with IC-2001"
                    : damage.File != file || damage.Offset != part.Start ? "file and offset of what is damaged must be named"
                    : part.Kind == PartKind.Record && damage.Lsn.Value != part.Lsn ? "the record must be named"
                    : Directory.EnumerateFiles(copy, "*.broken", SearchOption.AllDirectories).Any() ? "nothing may be cut" : null;
            case PartKind.LastRecord:
                return verdict.Stop is not null || verdict.Lost != 1 ? "a last record that nothing proves durable is an interrupted write"
                    : !Directory.EnumerateFiles(copy, "*.broken", SearchOption.AllDirectories).Any() ? "what is cut must be kept aside"
                    : null;
            case PartKind.EndMark:
            case PartKind.Unused:
                return verdict.Stop is not null || verdict.Lost != 0 ? "nothing is read from there" : null;
            case PartKind.NewestCheckpoint:
            case PartKind.OlderCheckpoint:
                return !verdict.Names("IC-2011", file) && !(verdict.Stop is { Code: "IC-2012" } && verdict.Names("IC-2011", file))
                    ? "a damaged checkpoint must be named with IC-2011"
                    : verdict.Lost != 0 ? "the log is longer than the checkpoint" : null;
            case PartKind.Manifest:
                return verdict.Stop is not null || verdict.Lost != 0 ? "there are two copies, and the folder"
                    : !verdict.Names("IC-2010", file) ? "the damaged copy must be named" : null;
            default:
                return "no such part belongs to a log";
        }
    }

    private async Task CutAsync(Places places, RotLog log, int shape, Part part, long length)
    {
        string copy = places.New();
        log.CopyTo(copy);
        string file = Path.Combine(copy, Path.GetRelativePath(log.Root, part.File));
        using (FileStream stream = File.OpenWrite(file))
        {
            stream.SetLength(length);
        }

        Verdict verdict = await Recovery.RunAsync(copy, log);
        bool newest = part.File == log.Segment(log.Segments()[^1]);
        string? complaint = part.Kind switch
        {
            PartKind.SegmentHeader => verdict.Stop is LogCorruptException { Code: "IC-2001", Offset: 0 } damage && damage.File == file
                ? null : "a segment without its header is damaged",
            // The end of the newest segment is where a log ends: without a checkpoint beyond it, only peers know that there was more.
            PartKind.Record or PartKind.LastRecord or PartKind.EndMark or PartKind.Unused when newest => verdict.Stop switch
            {
                null => verdict.Lost == (int)(log.Last + 1 - Math.Min(part.Lsn, log.Last + 1)) ? null
                    : "exactly the records in front of the cut are left",
                LogCorruptException { Code: "IC-2005" } beyond =>
                    beyond.Lsn.Value == part.Lsn && log.Checkpoints.Keys.Last() >= part.Lsn ? null : "the missing record must be named",
                _ => "it is an interrupted write, or a checkpoint lies beyond it",
            },
            PartKind.Record => verdict.Stop is LogCorruptException { Code: "IC-2001" or "IC-2003" } damage && damage.File == file
            && damage.Offset == part.Start && damage.Lsn.Value == part.Lsn
                ? null : "a sealed segment that ends too early must be named with the missing record",
            PartKind.Unused => verdict.Stop is null && verdict.Lost == 0 ? null : "nothing is read from there",
            _ => Judge(part, verdict, file, copy),
        };
        Assert.True(complaint is null,
            $"shape {shape}, {Path.GetFileName(file)} cut to {length} in {part.Kind} at {part.Start}: {complaint}; {verdict}");
        Count(part.Kind, verdict);
        Places.Remove(copy);
    }

    /// <summary>Entries of several forms: each flip is refused with IC-2050, names the file, and the entry can be written again.</summary>
    private async Task FlipCatalogAsync(Places places, FuzzRandom random, int flips)
    {
        CatalogEntry[] entries =
        [
            new() { Instance = "bank" },
            new() { Instance = "shop", AppVersion = "1.2", PeerAddress = "tcp:10.0.0.7:4100", Epoch = 7, InstanceId = new string('a', 32),
                Generation = 2, Replicas = [new CatalogReplica { Number = 0, Address = "unix:/a", Role = "primary" }] },
        ];
        string root = places.New();
        await using var catalog = new FileCatalog(new PosixFileSystem(), root, TimeProvider.System);
        foreach (CatalogEntry entry in entries)
        {
            await catalog.PutAsync(entry, null);
        }

        for (int i = 0; i < flips; i++)
        {
            CatalogEntry entry = random.Pick(entries);
            string file = Path.Combine(root, ".catalog", entry.Instance + ".json");
            int offset = random.Next((int)new FileInfo(file).Length);
            byte mask = (byte)(1 << random.Next(8));
            FlipBit(file, offset, mask);
            LogStoreException damage = await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync(entry.Instance));
            Assert.True(damage.Code == "IC-2050"
                && damage.Message.Contains(file, StringComparison.Ordinal), $"bit {mask:x2} of byte {offset} of {file}: {damage.Message}");
            FlipBit(file, offset, mask);
            Assert.Equal(entry.PeerAddress, (await catalog.GetAsync(entry.Instance))!.Entry.PeerAddress);
            string key = $"{PartKind.Catalog}: IC-2050";
            _outcomes[key] = _outcomes.GetValueOrDefault(key) + 1;
        }
    }

    private static void FlipBit(string file, long offset, byte mask)
    {
        using FileStream stream = new(file, FileMode.Open, FileAccess.ReadWrite);
        stream.Position = offset;
        int value = stream.ReadByte();
        stream.Position = offset;
        stream.WriteByte((byte)(value ^ mask));
    }

    /// <summary>Every byte of every file belongs to a part: none can be forgotten.</summary>
    private static void RequireCovered(RotLog log, List<Part> parts)
    {
        foreach (string file in Directory.EnumerateFiles(log.Folder, "*", SearchOption.AllDirectories))
        {
            Assert.Equal(new FileInfo(file).Length, parts.Where(part => part.File == file).Sum(static part => part.Length));
        }
    }

    private void Count(PartKind kind, Verdict verdict)
    {
        string warned = string.Join("+", verdict.Warnings.Select(static line => line.StartsWith("IC-", StringComparison.Ordinal) ? line[..7]
            : line.StartsWith("Torn", StringComparison.Ordinal) ? "torn tail kept aside" : "warning").Distinct());
        string end = verdict.Stop?.Code ?? (verdict.Lost > 0 ? "ends earlier" : "recovered in full");
        string key = $"{kind}: {end}{(warned.Length > 0 ? ", " + warned : "")}";
        _outcomes[key] = _outcomes.GetValueOrDefault(key) + 1;
    }

    private void Show(string title)
    {
        string report = $"{title}, seed {Settings.Seed}\n"
            + $"{string.Join("\n", _outcomes.Select(static entry => $"    {entry.Value,7}  {entry.Key}"))}";
        output.WriteLine(report);
        Settings.Report(title.Contains("cuts", StringComparison.Ordinal) ? "cuts" : "rot", report);
    }
}
