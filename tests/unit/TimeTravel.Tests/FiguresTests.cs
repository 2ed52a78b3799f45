using System.Diagnostics;
using System.Globalization;
using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;
using Xunit.Abstractions;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>How fast one goes back, on a log of a million messages in the full run, of ten million with --soak. What is found out is
/// asserted; what is measured is printed and decides nothing.</summary>
[Collection(nameof(Alone))]
public sealed class FiguresTests(ITestOutputHelper output)
{
    private static long Messages => Extent.Of(everyday: 100_000, full: 1_000_000, soak: 10_000_000);

    [Fact]
    public async Task A_long_log_is_run_again_without_a_difference_and_one_goes_back_in_it_at_once()
    {
        await using var tally = TallyLog.Start(checkpointEvery: Messages * 4);
        var watch = Stopwatch.StartNew();
        await tally.WorkAsync(Messages + 10_000); // The end of a log may still be on its way to the disk when its writer is told to stop.
        await tally.StopAsync();
        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"log of {Messages:N0} messages, made in {watch.Elapsed.TotalSeconds:0.0} s"));
        await RetestAsync(tally.Folder, against: true);
        await RetestAsync(tally.Folder, against: false);
        await StepBackAsync(tally.Folder);
        await JumpAsync(tally.Folder);
    }

    [Fact]
    public async Task While_an_instance_works_what_is_replayed_is_what_it_was_and_its_folder_is_left_alone()
    {
        const int Places = 50;
        await using var tally = TallyLog.Start(checkpointEvery: 8 << 10);
        using var enough = new CancellationTokenSource();
        Task load = LoadAsync(tally, enough.Token);
        List<(ulong Lsn, string? Hash)> live = await WatchAsync(tally.Folder, Places);
        Dictionary<string, string> before = SealedFiles(tally.Folder);
        await using Replay<Tally> replay = await ImmortalReplay.From(tally.Folder).Checkpoint(0).OpenAsync<Tally>();
        Assert.True(replay.Traveler.Log.IsLive, "the log is being written while it is read");
        foreach ((ulong lsn, string? hash) in live)
        {
            // Message by message from the first one on: a checkpoint on the way would only be compared with itself.
            await replay.Traveler.RunAsync(message => message.Position.Lsn > lsn);
            Assert.Equal((lsn, hash), (lsn, await replay.Traveler.StateHashAsync()));
            Assert.Equal(1, LocksOn(Path.Combine(tally.Folder, "lock")));
        }

        Dictionary<string, string> after = SealedFiles(tally.Folder);
        Assert.True(before.Count > Places, $"{before.Count} files");
        Assert.All(before, file => Assert.Equal(file.Value, after.GetValueOrDefault(file.Key)));
        Assert.All(after.Keys, static name => Assert.Matches(@"^(log/\d{10}\.seg|checkpoints/\d{20}\.ckpt)$", name));
        Assert.False(load.IsCompleted, "it worked all the time");
        await enough.CancelAsync();
        await load;
        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"live: state at {live.Count} places of the log, {live[0].Lsn} to {live[^1].Lsn}, equal to the instance's own; {before.Count} "
            + $"sealed files unchanged; nobody else asked for the lock"));
    }

    private static async Task LoadAsync(TallyLog tally, CancellationToken enough)
    {
        while (!enough.IsCancellationRequested)
        {
            await tally.WorkAsync(4000);
        }
    }

    // What the instance itself wrote down about its state: its checkpoints, each loaded into an object that has replayed nothing.
    private static async Task<List<(ulong Lsn, string? Hash)>> WatchAsync(string folder, int places)
    {
        List<ulong> found = [];
        for (var deadline = Stopwatch.StartNew(); found.Count < 2 * places && deadline.Elapsed < TimeSpan.FromMinutes(3);)
        {
            await Task.Delay(20);
            if (File.Exists(Path.Combine(folder, "manifest.0")))
            {
                await using ReplayLog log = await ReplayLog.OpenFolderAsync(folder);
                found = [.. log.Checkpoints.Where(static lsn => lsn > 0)];
            }
        }

        Assert.True(found.Count >= 2 * places, $"{found.Count} checkpoints");
        var random = new Random(20261121);
        ulong[] chosen = [.. found.OrderBy(_ => random.Next()).Take(places).Order()];
        var states = new List<(ulong, string?)>();
        foreach (ulong lsn in chosen)
        {
            await using Replay<Tally> loaded = await ImmortalReplay.From(folder).Checkpoint(lsn).OpenAsync<Tally>();
            states.Add((lsn, await loaded.Traveler.StateHashAsync()));
        }

        Assert.Equal(places, states.Select(static state => state.Item2).Distinct().Count());
        return states;
    }

    // Everything but the segment that is being written, the manifest, which alternates, and the scratch folder.
    private static Dictionary<string, string> SealedFiles(string folder)
    {
        IEnumerable<string> segments = Directory.EnumerateFiles(Path.Combine(folder, "log"), "*.seg").Order(StringComparer.Ordinal)
            .SkipLast(2);
        IEnumerable<string> checkpoints = Directory.EnumerateFiles(Path.Combine(folder, "checkpoints"), "*.ckpt");
        return segments.Concat(checkpoints).ToDictionary(path => Path.GetRelativePath(folder, path), static path =>
            Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(File.ReadAllBytes(path))));
    }

    // Holders and waiters of a file's lock, as the kernel lists them: "1: FLOCK  ADVISORY  WRITE 4711 08:01:123456 0 EOF".
    private static int LocksOn(string path)
    {
        string inode = Process.Start(new ProcessStartInfo("stat", ["-c", "%i", path])
            { RedirectStandardOutput = true })!.StandardOutput.ReadToEnd().Trim();
        return File.ReadLines("/proc/locks").Count(line => line.Contains($":{inode} ", StringComparison.Ordinal));
    }

    private static async Task<ulong> LastAsync(string folder)
    {
        await using ReplayLog log = await ReplayLog.OpenFolderAsync(folder);
        ulong lsn = log.OldestLsn;
        while (await log.ReadAsync(lsn) is not null)
        {
            lsn++;
        }

        return lsn - 1;
    }

    private async Task RetestAsync(string folder, bool against)
    {
        await using ReplayLog log = await ReplayLog.OpenFolderAsync(folder);
        await using var app = new ObjectApp(static () => new Tally(), log.Instance);
        await using ObjectApp? old = against ? new ObjectApp(static () => new Tally(), log.Instance) : null;
        RetroactiveReport report = await RetroactiveRun.RunAsync(log, app, old);
        Assert.True(report.IsSame, ReportText.People(report, new MethodNames(), "same"));
        Assert.True(report.Messages >= Messages, $"{report.Messages} messages");
        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"retest {(against ? "of two versions" : "against the log")}: {report.Messages:N0} messages, 0 differences, "
            + $"{report.StatesCompared} states, {report.Rate:N0} messages/s"));
    }

    private async Task StepBackAsync(string folder)
    {
        await using Replay<Tally> replay = await ImmortalReplay.From(folder).Checkpoint(0).OpenAsync<Tally>();
        await replay.Traveler.RunAsync(static _ => false);
        var times = new List<double>();
        for (int i = 0; i < 20; i++)
        {
            long handled = replay.Immortal.Handled;
            long started = Stopwatch.GetTimestamp();
            Assert.True(await replay.Traveler.BackAsync(1000));
            times.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            Assert.Equal(handled - 1000, replay.Immortal.Handled);
        }

        times.Sort();
        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"back by 1,000 messages: median {times[10]:0} ms, longest of 20 {times[^1]:0} ms, {replay.Traveler.CachedStates} "
            + $"cached states"));
    }

    private async Task JumpAsync(string folder)
    {
        await using Replay<Tally> replay = await ImmortalReplay.From(folder).OpenAsync<Tally>();
        var random = new Random(20261121);
        ulong last = await LastAsync(folder);
        var times = new List<double>();
        for (int i = 0; i < 10; i++)
        {
            var target = Position.After((ulong)random.NextInt64(1, (long)last));
            long started = Stopwatch.GetTimestamp();
            Assert.True(await replay.Traveler.GoToAsync(target));
            times.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            Assert.InRange(replay.Traveler.At.Lsn, 1UL, target.Lsn); // A record without messages is skipped.
        }

        times.Sort();
        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"jump to any place: median {times[5]:0} ms, longest of 10 {times[^1]:0} ms"));
    }
}
