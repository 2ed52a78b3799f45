using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Ambrosia.Cli.Tests.History;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.Debugging;

/// <summary>G11 with a real debugger: it is attached to the app that is replayed, and stays so wherever one goes.</summary>
[Collection(nameof(Alone))]
public sealed partial class DebuggerTests(SteadyDice dice) : IClassFixture<SteadyDice>
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    [Fact]
    [Trait("Runs", "alone")] // Beside others its app ended once, when the debugger let it go.
    public async Task A_debugger_stops_in_the_handler_of_each_message_that_is_replayed_also_after_going_back()
    {
        using Process replay = Start();
        try
        {
            int app = await AppOfAsync(replay);
            using (ManagedDebugger debugger = ManagedDebugger.Attach(app, typeof(Dice).Assembly.Location, nameof(Dice), nameof(Dice.Roll)))
            {
                await TypeAsync(replay, "until args.number == 30");
                Assert.Equal(Numbers(0, 29), StopsUpTo(29, debugger));

                // A fresh object in the same process, brought there from the state that is nearest: the breakpoint is still set.
                await TypeAsync(replay, "back 5", "step 5", "step");
                long[] again = StopsUpTo(30, debugger);
                Assert.Equal(Numbers(again[0], 30), again);
                Assert.InRange(again[0], 0, 25);
                Assert.Equal(0, debugger.StopsWaiting);
            }

            // Nobody looks any more: it goes on by itself.
            await TypeAsync(replay, "end");
            replay.StandardInput.Close();
            using var patience = new CancellationTokenSource(s_patience);
            string said = await replay.StandardError.ReadToEndAsync(patience.Token);
            await replay.WaitForExitAsync(patience.Token);
            Assert.True(replay.ExitCode == 0, $"It ended with {replay.ExitCode}: {said}");
        }
        finally
        {
            replay.Kill(entireProcessTree: true);
            await replay.WaitForExitAsync();
        }
    }

    private static IEnumerable<long> Numbers(long first, long last) =>
        Enumerable.Range((int)first, (int)(last - first + 1)).Select(static number => (long)number);

    private static long[] StopsUpTo(long last, ManagedDebugger debugger)
    {
        var stops = new List<long>();
        do
        {
            stops.Add(debugger.NextStop(s_patience));
        }
        while (stops[^1] != last);

        return [.. stops];
    }

    private static async Task TypeAsync(Process replay, params string[] commands)
    {
        foreach (string command in commands)
        {
            await replay.StandardInput.WriteLineAsync(command);
        }
    }

    private Process Start()
    {
        string command = Path.Combine(AppContext.BaseDirectory, "ambrosia.dll");
        return Process.Start(new ProcessStartInfo("dotnet",
            [command, "debug", "dice", "--log", dice.Log.Folder, "--normal-priority", "--wait-for-debugger", "--", .. SteadyDice.App])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        })!;
    }

    private static async Task<int> AppOfAsync(Process replay)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (await replay.StandardError.ReadLineAsync(patience.Token) is { } line)
        {
            if (Named().Match(line) is { Success: true } match)
            {
                return int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture);
            }
        }

        throw new InvalidOperationException("The replay ended before it began.");
    }

    [GeneratedRegex("The app is process ([0-9]+) and waits")]
    private static partial Regex Named();
}
