using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Fuzz.Tests.Rot;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Fuzz.Tests;

/// <summary>Files that are intact and in the wrong place: missing, exchanged, copied from elsewhere or from earlier. The exact error, what
/// it names, and that nothing was touched.</summary>
public sealed class RestoredFilesTests
{
    [Fact]
    public Task A_missing_middle_segment_is_named() => WithLogAsync(0, async (log, places) =>
    {
        ulong[] segments = log.Segments();
        for (int i = 1; i < segments.Length - 1; i++)
        {
            string copy = Copy(log, places);
            File.Delete(In(copy, log, log.Segment(segments[i])));
            await StopsAsync(log, copy, "IC-2004", $"segment {segments[i]} is missing");
        }
    });

    [Fact]
    public Task The_newest_segments_missing_are_noticed_by_manifest_or_checkpoint() => WithLogAsync(0, async (log, places) =>
    {
        ulong[] segments = log.Segments();
        string copy = Copy(log, places);
        File.Delete(In(copy, log, log.Segment(segments[^1])));
        await StopsAsync(log, copy, "IC-2004", $"segment {segments[^1]} is missing");

        // Without the manifests, the newest checkpoint tells.
        File.Delete(Path.Combine(copy, "bank", "manifest.0"));
        File.Delete(Path.Combine(copy, "bank", "manifest.1"));
        await StopsAsync(log, copy, "IC-2005", $"a checkpoint at LSN {log.Checkpoints.Keys.Last()} lies beyond the log's end");
    });

    [Fact]
    public Task Segments_that_were_exchanged_are_named() => WithLogAsync(0, async (log, places) =>
    {
        string copy = Copy(log, places);
        Exchange(In(copy, log, log.Segment(2)), In(copy, log, log.Segment(3)));
        LogCorruptException damage =
            Assert.IsType<LogCorruptException>(await StopsAsync(log, copy, "IC-2001", "header of segment 2 is damaged"));
        Assert.Equal((In(copy, log, log.Segment(2)), 0L), (damage.File, damage.Offset));
    });

    [Fact]
    public Task Checkpoints_that_were_exchanged_are_passed_over_and_named() => WithLogAsync(0, async (log, places) =>
    {
        string copy = Copy(log, places);
        ulong[] checkpoints = [.. log.Checkpoints.Keys];
        Exchange(In(copy, log, log.Checkpoint(checkpoints[^1])), In(copy, log, log.Checkpoint(checkpoints[^2])));
        Verdict verdict = await Recovery.RunAsync(copy, log);
        Assert.True(verdict.Names("IC-2011", In(copy, log, log.Checkpoint(checkpoints[^1]))), verdict.ToString());
        Assert.True(verdict.Names("IC-2011", In(copy, log, log.Checkpoint(checkpoints[^2]))), verdict.ToString());
        Assert.Equal(0, verdict.Lost);
    });

    [Fact]
    public Task All_checkpoints_damaged_in_a_log_without_its_beginning_stop_it() => WithLogAsync(1, async (log, places) =>
    {
        string copy = Copy(log, places);
        foreach (ulong lsn in log.Checkpoints.Keys)
        {
            string file = In(copy, log, log.Checkpoint(lsn));
            byte[] bytes = File.ReadAllBytes(file);
            bytes[5000] ^= 1;
            File.WriteAllBytes(file, bytes);
        }

        LogStoreException stopped = await StopsAsync(log, copy, "IC-2012", $"all {log.Checkpoints.Count} checkpoints are damaged");
        Assert.Equal(ExitCode.StoreDamaged, stopped.ExitCode);
    });

    [Fact]
    public Task Files_of_another_log_are_told_apart_even_if_it_has_the_same_name() => WithLogAsync(0, async (log, places) =>
    {
        // Erased and made again: the same name and numbers, another identity.
        RotLog other = await RotLog.MakeAsync(places.New(), 0, new FuzzRandom(99));
        string copy = Copy(log, places);
        File.Copy(other.Segment(3), In(copy, log, log.Segment(3)), overwrite: true);
        await StopsAsync(log, copy, "IC-2006", "segment 3 belongs to another log of the same name");

        copy = Copy(log, places);
        ulong newest = log.Checkpoints.Keys.Last();
        File.Copy(other.Checkpoint(other.Checkpoints.Keys.Last()), In(copy, log, log.Checkpoint(newest)), overwrite: true);
        await StopsAsync(log, copy, "IC-2006", "the checkpoint belongs to another log");

        copy = Copy(log, places);
        foreach (string name in new[] { "manifest.0", "manifest.1" })
        {
            File.Copy(Path.Combine(other.Folder, name), Path.Combine(copy, "bank", name), overwrite: true);
        }

        Verdict verdict = await Recovery.RunAsync(copy, log);
        Assert.True(verdict is
            { Stop: null, Lost: 0 } && verdict.Names("IC-2010", Path.Combine(copy, "bank", "manifest.0")), verdict.ToString());
    });

    [Fact]
    public Task A_folder_under_another_instances_name_or_cluster_is_refused() => WithLogAsync(0, async (log, places) =>
    {
        string copy = Copy(log, places);
        Directory.Move(Path.Combine(copy, "bank"), Path.Combine(copy, "shop"));
        LogStoreException renamed = await Assert.ThrowsAsync<LogStoreException>(() => RotLog.StartAsync(copy, "shop", log.Options, new()));
        Assert.Equal("IC-2006", renamed.Code);
        Assert.Contains("the log belongs to instance 'bank'", renamed.Message, StringComparison.Ordinal);
        LogStoreException cluster = await Assert.ThrowsAsync<LogStoreException>(() =>
            RotLog.StartAsync(Copy(log, places), "bank", log.Options with { Cluster = "blue" }, new()));
        Assert.Equal("IC-2006", cluster.Code);
    });

    [Fact]
    public Task A_newer_checkpoint_beside_an_older_log_stops_and_cuts_nothing() => WithLogAsync(0, async (log, places) =>
    {
        // The log as it was when its last life had written nothing yet, the checkpoints as they are now.
        string copy = Copy(log, places);
        string last = In(copy, log, log.Segment(log.Segments()[^1]));
        using (FileStream stream = File.OpenWrite(last))
        {
            stream.SetLength(SegmentHeader.Size);
        }

        LogStoreException stopped =
            await StopsAsync(log, copy, "IC-2005", $"a checkpoint at LSN {log.Checkpoints.Keys.Last()} lies beyond the log's end");
        Assert.Contains("restore the folder from one copy", stopped.Message, StringComparison.Ordinal);
        Assert.Equal(SegmentHeader.Size, new FileInfo(last).Length);
    });

    [Fact]
    public Task A_copy_of_a_segment_under_a_similar_name_is_left_alone() => WithLogAsync(0, async (log, places) =>
    {
        string copy = Copy(log, places);
        string stray = Path.Combine(copy, "bank", "log", "00000000002.seg");
        File.Copy(log.Segment(2), stray);
        Verdict verdict = await Recovery.RunAsync(copy, log);
        Assert.True(verdict is { Stop: null, Lost: 0 }, verdict.ToString());
        Assert.True(File.Exists(stray));
    });

    [Fact]
    public Task An_older_copy_of_the_whole_folder_is_a_log_that_fits_together() => WithLogAsync(0, async (log, places) =>
    {
        // Nothing in the folder can tell; peers can: see RestoredFolderTests.
        string older = Copy(log, places);
        await using (LogStore.Tests.Support.LogHarness writer = await RotLog.StartAsync(log.Root, "bank", log.Options, new()))
        {
            await writer.AppendAsync([1]);
        }

        Verdict verdict = await Recovery.RunAsync(older, log);
        Assert.True(verdict is { Stop: null, Lost: 0 }, verdict.ToString());
    });

    private static Task WithLogAsync(int shape, Func<RotLog, Places, Task> test) => Places.OnOneThreadAsync(async () =>
    {
        using var places = new Places();
        await test(await RotLog.MakeAsync(places.New(), shape, new FuzzRandom(7)), places);
    });

    /// <summary>The error must have the code, say what, where, what is safe and what to do, and nothing may have been changed.</summary>
    private static async Task<LogStoreException> StopsAsync(RotLog log, string copy, string code, string what)
    {
        Dictionary<string, long> before = Lengths(copy);
        Verdict verdict = await Recovery.RunAsync(copy, log);
        Assert.True(verdict.Stop?.Code == code, verdict.ToString());
        Assert.Contains(what, verdict.Stop.Message, StringComparison.Ordinal);
        Assert.Equal(4, verdict.Stop.Message.Split(" | ").Length);
        Assert.All(before, file => Assert.Equal(file.Value, Lengths(copy).GetValueOrDefault(file.Key, -1)));
        return verdict.Stop;
    }

    /// <summary>How much each file holds; zeros at its end are room, which an opening writer may give back.</summary>
    private static Dictionary<string, long> Lengths(string root) => Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories)
        .Where(static file => file.EndsWith(".seg", StringComparison.Ordinal) || file.EndsWith(".ckpt", StringComparison.Ordinal))
        .ToDictionary(static file => file, static file => File.ReadAllBytes(file).AsSpan().LastIndexOfAnyExcept((byte)0) + 1L);

    private static string Copy(RotLog log, Places places)
    {
        string copy = places.New();
        log.CopyTo(copy);
        return copy;
    }

    private static string In(string copy, RotLog log, string file) => Path.Combine(copy, Path.GetRelativePath(log.Root, file));

    private static void Exchange(string one, string other)
    {
        File.Move(one, one + ".x");
        File.Move(other, one);
        File.Move(one + ".x", other);
    }
}
