using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Feature 74: the log that a test has made is run through the app once more, and must come to the same messages and the same
/// states at its checkpoints, whatever was killed on the way.</summary>
internal static class LogReplay
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);

    public static async Task VerifyAsync(Sandbox sandbox, NodeUnderTest node)
    {
        var start = new ProcessStartInfo(Executables.Command,
            ["retest", node.Name, "--log", node.LogFolder, "--json", "--normal-priority", "--", Executables.App])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        };
        start.Environment.Remove("AMBROSIA_FAILPOINT");
        start.Environment["E2E_GATE"] = node.GatePath; // Where a test says that a handler kills no more.
        start.Environment["E2E_VERSION"] = node.ReplayVersion;
        using Process command = Process.Start(start)!;
        Task<string> said = command.StandardOutput.ReadToEndAsync();
        Task<string> complained = command.StandardError.ReadToEndAsync();
        using var patience = new CancellationTokenSource(s_patience);
        await command.WaitForExitAsync(patience.Token);
        string report = await said;
        Assert.True(command.ExitCode == 0,
            $"{node.Name}: the replay of its log ended with {command.ExitCode}\n{report}\n{await complained}");
        JsonElement told = JsonDocument.Parse(report).RootElement;
        sandbox.Say(string.Create(CultureInfo.InvariantCulture,
            $"{node.Name}: {told.GetProperty("messages").GetInt64()} logged messages replayed, "
            + $"{told.GetProperty("digestsCompared").GetInt64()} records and {told.GetProperty("statesCompared").GetInt32()} states "
            + $"compared, no difference."));
        Assert.True(told.GetProperty("messages").GetInt64() > 0, "the log was empty");
    }
}
