using System.Text.Json;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>
/// Whatever is not deterministic is found by replaying twice, with a recovery on the way, and named by its first message.
/// </summary>
public sealed class VerifyTests : IDisposable
{
    private readonly CommandFixture _command = new();

    /// <summary>One of each way to differ; all of them in a full run.</summary>
    public static TheoryData<Fickleness> Kinds => Extent.IsFull || Extent.IsSoak
        ? [.. Enum.GetValues<Fickleness>().Except([Fickleness.None, Fickleness.Death])]
        : [Fickleness.Clock, Fickleness.Identifier, Fickleness.OrderOfHashSet, Fickleness.StaticField];

    public void Dispose() => _command.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task An_app_that_is_not_deterministic_is_flagged_with_the_first_message_that_is_not(Fickleness fickleness)
    {
        using DiceLog log = await DiceLog.MakeAsync(fickleness);
        (int code, string output, string error) =
            await _command.RunAsync($"verify dice --log {log.Folder} --json --normal-priority -- {DiceLog.Program(fickleness)}");
        Assert.True(code == 65, $"{code}: {output}{error}");
        JsonElement report = JsonDocument.Parse(output).RootElement;
        Assert.True(report.GetProperty("recoveries").GetInt32() > 0, output);
        JsonElement first = report.GetProperty("described")[0];
        Assert.Equal((await log.FindAsync(Dice.Trigger)).ToString(), first.GetProperty("at").GetString());
        Assert.Equal("Roll", first.GetProperty("message").GetProperty("method").GetString());
        Assert.Equal(fickleness == Fickleness.OrderOfHashSet ? "Destination" : "Content", first.GetProperty("kind").GetString());
    }

    [Fact]
    public async Task An_app_that_is_deterministic_is_not_flagged_and_was_recovered_on_the_way()
    {
        using DiceLog log = await DiceLog.MakeAsync(Fickleness.None);
        (int code, string output, string error) =
            await _command.RunAsync($"verify dice --log {log.Folder} --json --normal-priority -- {DiceLog.Program(Fickleness.None)}");
        Assert.True(code == 0, output + error);
        JsonElement report = JsonDocument.Parse(output).RootElement;
        Assert.True(report.GetProperty("messages").GetInt64() > Dice.Trigger && report.GetProperty("recoveries").GetInt32() > 0, output);
    }

    [Fact]
    public async Task An_app_that_dies_on_the_way_is_reported_with_how_far_it_came_and_how_it_ended()
    {
        using DiceLog log = await DiceLog.MakeAsync(Fickleness.None);
        (int code, string output, _) =
            await _command.RunAsync($"verify dice --log {log.Folder} --normal-priority -- {DiceLog.Program(Fickleness.Death)}");
        Assert.Equal(65, code);
        Assert.Contains("Ended", output, StringComparison.Ordinal);
        Assert.Contains("it ended with code 3", output, StringComparison.Ordinal);
    }
}
