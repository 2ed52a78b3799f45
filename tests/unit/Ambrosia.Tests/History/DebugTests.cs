using System.Text.Json;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>Features 43, 45-47: the debugger as people and scripts talk to it, with the app in a process of its own.</summary>
public sealed class DebugTests(SteadyDice dice) : IClassFixture<SteadyDice>, IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task A_script_goes_to_and_fro_and_each_answer_is_a_line_of_json()
    {
        JsonElement[] answers = await ConverseAsync(
            "until args.number == 300\nhash\nstep\ndiff\noutputs\nback\nhash\ngoto 3\nwhere\nend\ncheckpoints\nstate rolls");
        string trigger = (await dice.Log.FindAsync(Dice.Trigger)).ToString();
        Assert.Equal(trigger, Of(answers[1]).GetProperty("next").GetProperty("position").GetString());
        Assert.Equal(trigger, Of(answers[3]).GetProperty("at").GetString());
        Assert.Contains(Of(answers[4]).GetProperty("differences").EnumerateArray(), static d =>
            d.GetProperty("path").GetString() == "state._rolls.side 0");
        JsonElement sent = Assert.Single(Of(answers[5]).GetProperty("outputs").EnumerateArray());
        Assert.Equal(("player", "Tell"), (sent.GetProperty("destination").GetString(), sent.GetProperty("method").GetString()));
        Assert.Equal(Of(answers[2]).GetProperty("hash").GetString(), Of(answers[7]).GetProperty("hash").GetString());
        Assert.StartsWith("3:", Of(answers[9]).GetProperty("at").GetString(), StringComparison.Ordinal);
        Assert.Equal(JsonValueKind.Null, Of(answers[10]).GetProperty("next").ValueKind);
        Assert.True(Of(answers[11]).GetArrayLength() > 1);
        Assert.Contains("side 5", answers[12].ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("next Roll", "impulse Roll(number: ")]
    [InlineData("from dice", "dice → impulse Roll(number: ")]
    [InlineData("until 9:0", "at 9:0 of dice")]
    [InlineData("until method == \"Roll\" and args.number > 41 and args.number < 43", "Roll(number: 42)")]
    [InlineData("until not (args.number < 100) and kind == \"impulse\"", "Roll(number: 100)")]
    [InlineData("until state.unknown == 1", "it never comes to that")]
    [InlineData("next Nothing", "no further message of Nothing")]
    [InlineData("goto 99999", "the log ends before 99999")]
    [InlineData("help", "run to the next message of a method")]
    public async Task It_stops_where_it_is_told_to(string line, string expected)
    {
        (int code, string output, string error) = await RunAsync(line);
        Assert.True(code == 0, output + error);
        Assert.Contains(expected, output, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', output);
    }

    [Theory]
    [InlineData("jump", "'jump' is not a command; help lists them.")]
    [InlineData("goto seventeen", "'seventeen' is not a position: write 17 or 17:3.")]
    [InlineData("step many", "'many' is not a number of messages.")]
    [InlineData("until args.number >", "args.number >")]
    [InlineData("state nowhere.at.all", "There is nothing at nowhere.at.all in the state.")]
    public async Task A_script_that_cannot_be_carried_out_fails_and_says_why(string line, string expected)
    {
        (int code, _, string error) = await RunAsync(line);
        Assert.Equal(70, code);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_condition_that_is_none_fails_as_an_option_too() =>
        Assert.Equal(70, (await RunAsync("where", "--until", "args.number >")).Code);

    [Fact]
    public async Task A_checkpoint_that_is_not_there_is_refused_with_those_that_are()
    {
        (int code, _, string error) = await RunAsync("where", "--checkpoint", "12345678");
        Assert.Equal(70, code);
        Assert.Contains("There is no checkpoint at 12345678; there are some at", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/no/such/program", "'/no/such/program' cannot be started")]
    [InlineData("true", "ended with code 0 and never attached")]
    public async Task An_app_that_does_not_come_is_named_with_the_reason(string program, string expected)
    {
        (int code, _, string error) =
            await _command.RunAsync(["debug", "dice", "--log", dice.Log.Folder, "--normal-priority", "--", program]);
        Assert.Equal(70, code);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("debug dice --normal-priority", 64, "The app and its arguments are missing")]
    [InlineData("debug nobody -- true", 66, "There is no instance 'nobody' in file:")]
    [InlineData("debug ../x -- true", 64, "'../x' is not an instance name. A folder is named with --log.")]
    [InlineData("debug dice --log /nowhere -- true", 70, "IC-2044")]
    public async Task A_log_that_is_not_there_is_said_with_its_place(string line, int code, string expected)
    {
        (int ended, _, string error) =
            await _command.RunAsync(line.Replace("-- true", "--normal-priority -- true", StringComparison.Ordinal));
        Assert.Equal(code, ended);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_person_gets_a_prompt_and_leaves_it_with_quit()
    {
        (int code, string output, _) = await _command.RunAsync(["debug", "dice", "--store", dice.Log.Store, "--normal-priority", "--",
            .. SteadyDice.App], typed: "step 3\nnonsense\nquit\nstep\n");
        Assert.Equal(0, code);
        Assert.Equal(3, output.Split("(ambrosia) ").Length - 1);
    }

    private static JsonElement Of(JsonElement answer) => answer.GetProperty("data");

    private async Task<JsonElement[]> ConverseAsync(string lines)
    {
        (int code, string output, string error) = await RunAsync(lines, "--json");
        Assert.True(code == 0, output + error);
        return [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonDocument.Parse(line).RootElement)];
    }

    private Task<(int Code, string Output, string Error)> RunAsync(string lines, params string[] options) =>
        _command.RunAsync(["debug", "dice", "--log", dice.Log.Folder, "--normal-priority", .. options, "--", .. SteadyDice.App],
            piped: lines + "\n");
}
