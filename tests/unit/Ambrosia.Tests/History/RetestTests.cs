using System.Text.Json;
using System.Xml.Linq;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>Feature 49: new code against yesterday, as people and pipelines see it.</summary>
public sealed class RetestTests(SteadyDice dice) : IClassFixture<SteadyDice>, IDisposable
{
    private readonly CommandFixture _command = new();
    private readonly string _scratch = Directory.CreateTempSubdirectory("ambrosia-retest-").FullName;

    public void Dispose()
    {
        _command.Dispose();
        Directory.Delete(_scratch, recursive: true);
    }

    [Fact]
    public async Task The_same_program_makes_no_difference_and_the_junit_file_says_so()
    {
        string junit = Path.Combine(_scratch, "retest.xml");
        (int code, string output, string error) = await RunAsync(Fickleness.None, "--junit", junit);
        Assert.True(code == 0, output + error);
        Assert.Contains("0 differences: the new version does the same", output, StringComparison.Ordinal);
        XElement suite = XDocument.Load(junit).Root!;
        Assert.Equal(("1", "0"), (suite.Attribute("tests")!.Value, suite.Attribute("failures")!.Value));
    }

    [Fact]
    public async Task Another_program_beside_the_old_one_differs_at_the_first_message_and_in_the_junit_file()
    {
        string junit = Path.Combine(_scratch, "retest.xml");
        (int code, string output, string error) =
            await RunAsync(Fickleness.ProcessNumber, "--against", DiceLog.Program(Fickleness.None), "--junit", junit);
        Assert.True(code == 65, output + error);
        Assert.Contains("1 difference", output, StringComparison.Ordinal);
        Assert.Contains($"first: {await dice.Log.FindAsync(Dice.Trigger)} Content: ", output, StringComparison.Ordinal);
        Assert.Contains("300 steady", output, StringComparison.Ordinal);
        Assert.Equal("2", XDocument.Load(junit).Root!.Attribute("failures")!.Value);
    }

    [Fact]
    public async Task A_stretch_of_the_log_can_be_chosen_and_the_report_be_had_as_json()
    {
        (int code, string output, string error) = await RunAsync(Fickleness.None, "--from", "0", "--to", "9:0", "--no-states", "--json");
        Assert.True(code == 0, output + error);
        JsonElement report = JsonDocument.Parse(output).RootElement;
        Assert.Equal((0, "9:0", 0),
            (report.GetProperty("from").GetInt32(), report.GetProperty("to").GetString(), report.GetProperty("differences").GetInt32()));
    }

    [Fact]
    public async Task Where_states_are_not_compared_the_verdict_is_about_what_is_sent()
    {
        (int code, string output, string error) = await RunAsync(Fickleness.None, "--to", "9:0", "--no-states");
        Assert.True(code == 0, output + error);
        Assert.Contains("0 differences: what is sent is the same; states were not compared", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--to seventeen", 64, "--to seventeen: write a record as 17 or a message as 17:3.")]
    [InlineData("--from 12345678", 70, "There is no checkpoint at 12345678; there are some at")]
    public async Task A_place_that_is_none_is_refused_with_what_to_write(string option, int code, string expected)
    {
        (int ended, _, string error) = await RunAsync(Fickleness.None, option.Split(' '));
        Assert.Equal(code, ended);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    private Task<(int Code, string Output, string Error)> RunAsync(Fickleness fickleness, params string[] options) =>
        _command.RunAsync(["retest", "dice", "--log", dice.Log.Folder, "--normal-priority", .. options, "--", .. DiceLog.Program(fickleness)
            .Split(' ')]);
}
