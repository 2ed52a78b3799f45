namespace Ambrosia.Cli.Tests;

public sealed class UsageTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Theory]
    [InlineData("frobnicate")]
    [InlineData("erase")]
    [InlineData("status a b c")]
    [InlineData("run")]
    public async Task A_wrong_command_line_is_a_usage_error(string line)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(64, code);
        Assert.Contains("ambrosia --help", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_checkpoint_needs_a_coordinator_that_answers()
    {
        (int code, _, string error) = await _command.RunAsync("checkpoint bank");
        Assert.Equal(69, code);
        Assert.Contains("No coordinator answers at unix:/", error, StringComparison.Ordinal);
        Assert.Contains("--admin", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status")]
    [InlineData("catalog", "show")]
    [InlineData("erase", "--yes")]
    public async Task A_name_that_cannot_be_one_is_a_usage_error_with_the_rule_in_words(params string[] verb)
    {
        (int code, _, string error) = await _command.RunAsync([.. verb, "a b"]);
        Assert.Equal(64, code);
        Assert.Contains("1 to 63 letters", error, StringComparison.Ordinal);
        Assert.DoesNotContain("Parameter", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("deadletters list bank", 69)]
    [InlineData("deadletters quarantine bank 17:3", 69)]
    [InlineData("deadletters quarantine bank seventeen", 64)]
    [InlineData("deadletters show bank", 64)]
    public async Task Dead_letters_need_a_coordinator_that_answers_and_places_that_are_some(string line, int code) =>
        Assert.Equal(code, (await _command.RunAsync(line)).Code);

    [Fact]
    public async Task An_admin_address_that_is_none_is_a_usage_error() => Assert.Equal(64, (await _command.RunAsync("checkpoint bank --admin nowhere:x")).Code);

    [Fact]
    public async Task An_instance_to_run_needs_a_name_that_can_be_one() => Assert.Equal(64, (await _command.RunAsync("run .. -- true")).Code);

    [Theory]
    [InlineData("debug bank --normal-priority")]
    [InlineData("debug bank --normal-priority --web 0.0.0.0:8000 --log /nowhere")]
    [InlineData("debug bank --normal-priority --web unix:/run/page --log /nowhere")]
    [InlineData("debug bank --normal-priority --web somewhere --log /nowhere")]
    public async Task A_replay_needs_an_app_or_a_page_and_the_page_an_address_of_this_machine(string line) => Assert.Equal(64, (await _command.RunAsync(line)).Code);
}
