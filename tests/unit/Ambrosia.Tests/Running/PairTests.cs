using Ambrosia.Cli.Output;
using Ambrosia.Cli.Running;

namespace Ambrosia.Cli.Tests.Running;

/// <summary>A coordinator and an app in one terminal; here shell scripts stand for both.</summary>
public sealed class PairTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pair").FullName;
    private readonly StringWriter _written = new();
    private readonly Terminal _terminal;

    public PairTests() => _terminal = new Terminal(TextWriter.Synchronized(_written), TextWriter.Null, TextReader.Null, isTerminal: false);

    public void Dispose()
    {
        _written.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact] // It may take up to a minute, and a kill of the app in it throws it away.
    public async Task An_app_that_takes_long_to_stop_because_of_a_checkpoint_is_waited_for_and_that_is_said()
    {
        string started = Path.Combine(_folder, "started");
        using Pair pair = PairOf($"trap 'sleep 1; touch {_folder}/saved; exit 0' TERM; touch {started}; while :; do sleep 0.05; done");
        Task<int> running = pair.RunAsync(default);
        await UntilAsync(() => File.Exists(started));
        pair.Interrupt();
        Assert.Equal(0, await running.WaitAsync(Patience.Time));
        Assert.True(File.Exists(Path.Combine(_folder, "saved")));
        Assert.Contains("bank: waits for the app to end, for 75 s at most; Ctrl+C kills it", Lines());
    }

    [Fact]
    public async Task A_second_interrupt_kills_it()
    {
        string started = Path.Combine(_folder, "started");
        using Pair pair = PairOf($"trap '' TERM; touch {started}; while :; do sleep 0.05; done");
        Task<int> running = pair.RunAsync(default);
        await UntilAsync(() => File.Exists(started));
        pair.Interrupt();
        Assert.False(running.IsCompleted);
        pair.Interrupt();
        Assert.Equal(137, await running.WaitAsync(Patience.Time));
    }

    [Fact] // It was started again for ever.
    public async Task An_app_whose_build_does_not_fit_the_log_ends_the_pair()
    {
        using Pair pair = PairOf("echo IC-5005 and a reason; exit 78");
        Assert.Equal(78, await pair.RunAsync(default).WaitAsync(Patience.Time));
        Assert.Equal(0, pair.Restarts);
        Assert.Contains("app | IC-5005 and a reason", Lines());
        Assert.Contains(Lines(), static line =>
            line.StartsWith("bank: the build of the app does not fit the log", StringComparison.Ordinal));
    }

    private Pair PairOf(string script)
    {
        string coordinator = Path.Combine(_folder, "coordinator.sh");
        File.WriteAllText(coordinator, "#!/bin/sh\ncat >/dev/null\n"); // Until its standard input ends.
        File.SetUnixFileMode(coordinator, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        var launch = new Launch
        {
            Instance = "bank", Label = "bank", Coordinator = coordinator, Store = "s", Catalog = "c", Cluster = "x", Socket = "sock",
                Admin = "off",
            CoordinatorOptions = [], Program = ["/bin/sh", "-c", script], AppReads = false,
        };
        return new Pair(launch, ("coordinator", "app"), _terminal, new TwentyfoldTime());
    }

    private string[] Lines() => _written.ToString().Split('\n', StringSplitOptions.TrimEntries);

    private static async Task UntilAsync(Func<bool> condition)
    {
        using var patience = new CancellationTokenSource(Patience.Time);
        while (!condition())
        {
            await Task.Delay(5, patience.Token);
        }
    }

    /// <summary>Its timers are over after a twentieth of their time.</summary>
    private sealed class TwentyfoldTime : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            base.CreateTimer(callback, state, dueTime > TimeSpan.Zero ? dueTime / 20 : dueTime, period);
    }
}
