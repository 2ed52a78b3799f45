using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using TimeTravelApp;
using Xunit.Abstractions;

namespace Ambrosia.Cli.Tests.History;

/// <summary>G11: looking back leaves no trace, neither in the folder nor in the pace of the instance.</summary>
[Collection(nameof(Alone))]
public sealed class NothingIsTouchedTests(SteadyDice dice, ITestOutputHelper output) : IClassFixture<SteadyDice>, IDisposable
{
    private readonly CommandFixture _command = new();
    private readonly string _scratch = Directory.CreateTempSubdirectory("ambrosia-touch-").FullName;

    public void Dispose()
    {
        _command.Dispose();
        Directory.Delete(_scratch, recursive: true);
    }

    [Theory]
    [InlineData("debug", 0)]
    [InlineData("retest", 0)]
    [InlineData("verify", 0)]
    [InlineData("log show", 0)]
    [InlineData("log verify", 0)]
    [InlineData("checkpoint verify", 0)]
    public async Task The_kernel_sees_no_change_in_the_folder_of_a_log_that_is_looked_at(string verb, int code)
    {
        using var watcher = new FileSystemWatcher(dice.Log.Folder)
        {
            IncludeSubdirectories = true,
            NotifyFilter = NotifyFilters.FileName | NotifyFilters.DirectoryName | NotifyFilters.Attributes | NotifyFilters.Size
                | NotifyFilters.LastWrite | NotifyFilters.CreationTime | NotifyFilters.Security,
        };
        var seen = new ConcurrentQueue<string>();
        var control = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        void See(object sender, FileSystemEventArgs change)
        {
            if (change.Name == "control")
            {
                control.TrySetResult();
                return;
            }

            seen.Enqueue($"{change.ChangeType} {change.Name}");
        }

        watcher.Created += See;
        watcher.Changed += See;
        watcher.Deleted += See;
        watcher.Renamed += See;
        watcher.EnableRaisingEvents = true;
        string[] app = verb.Contains(' ', StringComparison.Ordinal) ? [] : ["--normal-priority", "--", .. SteadyDice.App];
        (int ended, string said, string error) =
            await _command.RunAsync([.. verb.Split(' '), "dice", "--log", dice.Log.Folder, .. app], piped: "end\nback 100\nstep 5\ndiff\n");
        Assert.True(ended == code, said + error);

        // The watcher works, and whatever came before this has been told by now.
        string file = Path.Combine(dice.Log.Folder, "control");
        await File.WriteAllTextAsync(file, "");
        await control.Task.WaitAsync(TimeSpan.FromSeconds(30));
        File.Delete(file);
        Assert.Empty(seen);
    }

    [Fact]
    [Trait("Runs", "alone")] // What replays at idle priority gets nothing beside others.
    public async Task An_instance_under_full_load_keeps_its_pace_while_its_past_is_replayed_at_idle_priority()
    {
        int rounds = Extent.Of(everyday: 1, full: 5, soak: 5);
        TimeSpan stretch = TimeSpan.FromSeconds(Extent.Of(everyday: 1, full: 2, soak: 2));
        using DiceLog log = DiceLog.New();
        var alone = new List<double>();
        var watched = new List<double>();
        await log.PlayAsync(Fickleness.None, 64 << 20, async self =>
        {
            await RollAsync(self, stretch); // Warms up.
            for (int round = 0; round < rounds; round++)
            {
                alone.Add(await RollAsync(self, stretch));
                using Process replay = StartReplay(log);
                await WaitForAsync(replay, "at checkpoint");
                // A full pipe would hold it up.
                Task<string[]> said = Task.WhenAll(replay.StandardOutput.ReadToEndAsync(), replay.StandardError.ReadToEndAsync());
                watched.Add(await RollAsync(self, stretch));
                Assert.False(replay.HasExited, "the replay ended before its time");
                replay.Kill(entireProcessTree: true);
                await replay.WaitForExitAsync();
                await said;
            }
        });
        alone.Sort();
        watched.Sort();
        double before = alone[alone.Count / 2];
        double during = watched[watched.Count / 2];
        Assert.True(before > 0 && during > 0);
        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"live under full load: {before:N0} impulses/s alone, {during:N0} while it is replayed at idle priority "
            + $"({(during - before) / before:+0.0%;-0.0%}; medians of {rounds})"));
    }

    private static async Task<double> RollAsync(DiceProxy self, TimeSpan stretch)
    {
        const int AtOnce = 500;
        long count = 0;
        var watch = Stopwatch.StartNew();
        var rolls = new Task[AtOnce];
        while (watch.Elapsed < stretch)
        {
            for (int i = 0; i < AtOnce; i++)
            {
                rolls[i] = self.RollImpulse(count++);
            }

            await Task.WhenAll(rolls);
        }

        return count / watch.Elapsed.TotalSeconds;
    }

    private static async Task WaitForAsync(Process replay, string text)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        while (await replay.StandardOutput.ReadLineAsync(patience.Token) is { } line)
        {
            if (line.Contains(text, StringComparison.Ordinal))
            {
                return;
            }
        }

        Assert.Fail("The replay ended before it began: " + await replay.StandardError.ReadToEndAsync());
    }

    // Goes to the end and back to the beginning again and again, until it is killed.
    private Process StartReplay(DiceLog log)
    {
        string script = Path.Combine(_scratch, "script.txt");
        File.WriteAllLines(script, Enumerable.Repeat("end\ngoto 1", 10_000));
        string command = Path.Combine(AppContext.BaseDirectory, "ambrosia.dll");
        var start = new ProcessStartInfo("dotnet",
            [command, "debug", "dice", "--log", log.Folder, "--script", script, "--", .. SteadyDice.App])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        };
        return Process.Start(start)!;
    }
}
