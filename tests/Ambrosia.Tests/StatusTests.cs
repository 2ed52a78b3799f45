using System.Text.Json;

namespace Ambrosia.Cli.Tests;

public sealed class StatusTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task An_empty_catalog_is_said_in_a_sentence()
    {
        (int code, string output, _) = await _command.RunAsync("status");
        Assert.Equal(0, code);
        Assert.StartsWith("No instances in file:", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_instances_are_listed_plainly_when_piped()
    {
        await _command.MakeInstanceAsync("bank");
        await _command.MakeInstanceAsync("auditor");
        (_, string output, _) = await _command.RunAsync("status");
        string[] lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(3, lines.Length);
        Assert.Matches("^auditor +stopped +1 ", lines[1]);
        Assert.Matches("^bank +stopped +1 ", lines[2]);
        Assert.DoesNotContain('\u001b', output);
    }

    [Fact]
    public async Task One_instance_is_shown_in_detail_as_json()
    {
        await _command.MakeInstanceAsync("bank");
        JsonElement facts = (await _command.JsonAsync("status bank")).GetProperty("facts");
        Assert.Equal("stopped", facts.GetProperty("state").GetString());
        Assert.Equal(1, facts.GetProperty("epoch").GetInt32());
        Assert.Equal(32, facts.GetProperty("instanceId").GetString()!.Length);
    }

    [Fact]
    public async Task A_held_lock_shows_as_running_with_its_process()
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable held = await _command.LockAsync("bank");
        JsonElement facts = (await _command.JsonAsync("status bank")).GetProperty("facts");
        Assert.Equal("running", facts.GetProperty("state").GetString());
        Assert.Equal(Environment.ProcessId, facts.GetProperty("processId").GetInt32());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_one_whose_coordinator_was_not_reached_that_is_said(bool runs)
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable? held = runs ? await _command.LockAsync("bank") : null;
        (_, string output, _) = await _command.RunAsync("status bank");
        Assert.Matches(runs ? "(?m)^coordinator +does not answer at unix:/.*: this is what the store says" : "(?m)^coordinator +none runs: this is what the store says", output);
    }

    [Fact]
    public async Task One_whose_log_is_damaged_or_cannot_be_looked_at_hides_no_other()
    {
        await _command.MakeInstanceAsync("bank");
        await _command.MakeInstanceAsync("auditor");
        await _command.MakeInstanceAsync("far");
        string segment = Directory.EnumerateFiles(Path.Combine(_command.FolderOf("bank"), "log")).Single();
        byte[] bytes = await File.ReadAllBytesAsync(segment);
        bytes[20] ^= 1;
        await File.WriteAllBytesAsync(segment, bytes);
        Directory.Delete(_command.FolderOf("far"), recursive: true);
        File.CreateSymbolicLink(_command.FolderOf("far"), _command.FolderOf("far")); // Leads nowhere, for root as well.
        (int code, string output, string error) = await _command.RunAsync("status");
        File.Delete(_command.FolderOf("far"));
        Assert.Equal(65, code);
        Assert.Matches("(?m)^auditor +stopped +1 ", output);
        Assert.Matches("(?m)^bank +damaged +1 ", output);
        Assert.Matches("(?m)^far +unreadable +1 ", output);
        Assert.Matches("(?m)^bank: IC-2001 ", error);
        Assert.Matches("(?m)^far: .*ELOOP", error);
    }

    [Fact]
    public async Task An_unknown_instance_is_not_found()
    {
        (int code, _, string error) = await _command.RunAsync("status nobody");
        Assert.Equal(66, code);
        Assert.Contains("There is no instance 'nobody'", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_person_at_a_terminal_gets_a_table()
    {
        await _command.MakeInstanceAsync("bank");
        (_, string output, _) = await _command.RunAsync("status", typed: "");
        Assert.Contains("│ bank", output, StringComparison.Ordinal);
    }
}
