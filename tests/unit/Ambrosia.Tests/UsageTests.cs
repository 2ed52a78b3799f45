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

    [Theory]
    [InlineData("move", "'ambrosia move' needs <name>:", "'ambrosia move' needs <program>:")]
    [InlineData("query bank", "'ambrosia query' needs <method>: Method with [Query].")]
    [InlineData("checkpoint list", "'ambrosia checkpoint list' needs <instance>:")]
    public async Task What_is_missing_is_named_each_once(string line, params string[] missing)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(64, code);
        string[] lines = error.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(missing.Length + 1, lines.Length);
        Assert.All(missing, expected => Assert.Single(lines, line => line.StartsWith(expected, StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("statsu", "There is no verb 'statsu'. Did you mean 'status'?")]
    [InlineData("statsu bank --json", "There is no verb 'statsu'. Did you mean 'status'?")]
    [InlineData("deadletter list bank", "There is no verb 'deadletter'. Did you mean 'deadletters'?")]
    [InlineData("log shwo bank", "There is no verb 'log shwo'. Did you mean 'log show'?")]
    [InlineData("frobnicate", "There is no verb 'frobnicate'.")]
    [InlineData("log frobnicate bank", "There is no verb 'log frobnicate'.")]
    public async Task A_verb_that_there_is_not_is_said_with_the_one_that_is_near_if_one_is(string line, string said)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(64, code);
        Assert.Equal([said, "'ambrosia --help' lists the verbs, 'ambrosia VERB --help' explains one."],
            error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task One_of_a_thing_is_not_told_in_the_plural()
    {
        await _command.MakeInstanceAsync("bank");
        string said = (await _command.RunAsync("status bank")).Output + (await _command.RunAsync("doctor")).Output
            + (await _command.RunAsync("log verify bank")).Output;
        Assert.Contains("1 segment from LSN 1", said, StringComparison.Ordinal);
        Assert.Contains("1 instance in ", said, StringComparison.Ordinal);
        Assert.DoesNotMatch(@"(?<![\d.,])1 [a-z]+s\b", said);
    }

    [Theory]
    [InlineData("status --no-such-option", "There is no option --no-such-option\n")]
    [InlineData("status bank --jsn", "There is no option --jsn. Did you mean --json?\n")]
    [InlineData("top --oncee", "There is no option --oncee. Did you mean --once?\n")]
    [InlineData("status --catalogue=x", "There is no option --catalogue. Did you mean --catalog?\n")]
    [InlineData("run bank --ingress 127.0.0.1:80 -- app",
        "There is no option --ingress. One of the coordinator is written --coordinator-option=--ingress=VALUE\n")]
    [InlineData("run bank --replica-idd 1 -- app", "There is no option --replica-idd. Did you mean --replica-id?\n")]
    public async Task What_begins_like_an_option_and_is_none_is_said_with_the_one_that_is_near_if_one_is(string line, string said)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(64, code);
        Assert.StartsWith(said, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("checkpoint nobody")]
    [InlineData("query nobody BalanceOf")]
    [InlineData("query nobody BalanceOf --replica 1")]
    [InlineData("deadletters list nobody")]
    [InlineData("deadletters drop nobody 17:3")]
    public async Task An_instance_that_does_not_exist_is_not_found_rather_than_silent(string line)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(66, code);
        Assert.Contains("There is no instance 'nobody'", error, StringComparison.Ordinal);
    }

    [Theory] // A loop stands for what this user may not look at: it is the same for root.
    [InlineData("erase bank --yes")]
    [InlineData("log show bank")]
    [InlineData("status bank")]
    [InlineData("checkpoint list bank")]
    public async Task A_folder_that_cannot_be_looked_at_is_not_taken_for_one_that_is_not_there(string line)
    {
        string root = Path.GetDirectoryName(_command.FolderOf("bank"))!;
        File.CreateSymbolicLink(root, root);
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(70, code);
        Assert.DoesNotContain("There is no instance", error, StringComparison.Ordinal);
        Assert.Contains("ELOOP", error, StringComparison.Ordinal);
        File.Delete(root);
    }

    [Fact]
    public async Task A_checkpoint_needs_a_coordinator_that_answers()
    {
        await _command.MakeInstanceAsync("bank");
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
    public async Task Dead_letters_need_a_coordinator_that_answers_and_places_that_are_some(string line, int code)
    {
        await _command.MakeInstanceAsync("bank");
        Assert.Equal(code, (await _command.RunAsync(line)).Code);
    }

    [Fact]
    public async Task An_admin_address_that_is_none_is_a_usage_error() =>
        Assert.Equal(64, (await _command.RunAsync("checkpoint bank --admin nowhere:x")).Code);

    [Fact]
    public async Task An_instance_to_run_needs_a_name_that_can_be_one() =>
        Assert.Equal(64, (await _command.RunAsync("run .. -- true")).Code);

    [Theory]
    [InlineData("debug bank --normal-priority")]
    [InlineData("debug bank --normal-priority --web 0.0.0.0:8000 --log /nowhere")]
    [InlineData("debug bank --normal-priority --web unix:/run/page --log /nowhere")]
    [InlineData("debug bank --normal-priority --web somewhere --log /nowhere")]
    [InlineData("top --web 0.0.0.0:8000")]
    [InlineData("top --web unix:/run/page")]
    public async Task A_replay_needs_an_app_or_a_page_and_the_page_an_address_of_this_machine(string line) =>
        Assert.Equal(64, (await _command.RunAsync(line)).Code);
}
