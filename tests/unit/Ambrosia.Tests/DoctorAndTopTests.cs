using System.Text.Json;

namespace Ambrosia.Cli.Tests;

public sealed class DoctorAndTopTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task A_sound_set_up_has_a_verdict_for_each_part()
    {
        await _command.MakeInstanceAsync("bank");
        (_, string output, _) = await _command.RunAsync("doctor --json");
        JsonElement[] findings = [.. JsonDocument.Parse(output).RootElement.EnumerateArray()];
        Assert.Equal(["platform", "coordinator", "store", "catalog", "instance bank"],
            findings.Select(static finding => finding.GetProperty("what").GetString()));
        Assert.Equal("ok", findings[3].GetProperty("verdict").GetString());
        (_, string plain, _) = await _command.RunAsync("doctor");
        Assert.StartsWith("VERDICT", plain, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', plain);
    }

    [Fact]
    public async Task What_is_damaged_is_wrong_and_named_and_the_exit_code_says_so()
    {
        await _command.MakeInstanceAsync("bank");
        string segment = Directory.EnumerateFiles(Path.Combine(_command.FolderOf("bank"), "log")).Single();
        byte[] bytes = await File.ReadAllBytesAsync(segment);
        bytes[20] ^= 1;
        await File.WriteAllBytesAsync(segment, bytes);
        (int code, string output, _) = await _command.RunAsync("doctor");
        Assert.Equal(65, code);
        Assert.Matches("wrong +instance bank +IC-", output);
    }

    [Fact]
    public async Task A_catalog_that_cannot_be_read_is_a_finding_and_no_end()
    {
        string catalog = _command.FolderOf("catalog");
        Directory.CreateDirectory(catalog);
        File.CreateSymbolicLink(Path.Combine(catalog, ".catalog"), ".catalog"); // Leads nowhere, for root as well.
        (int code, string output, _) = await _command.RunAsync(["doctor", "--catalog", "file:" + catalog]);
        Assert.Equal(65, code);
        Assert.Matches("wrong +catalog +.*ELOOP", output);
    }

    [Fact]
    public async Task Top_prints_one_table_when_piped_and_a_list_as_json()
    {
        Assert.Contains("No entries in file:", (await _command.RunAsync("top --every 0.05")).Output, StringComparison.Ordinal);
        await _command.MakeInstanceAsync("bank");
        (int code, string table, _) = await _command.RunAsync("top --every 0.05");
        Assert.Equal(0, code);
        Assert.Matches("(?m)^bank +", table);
        JsonElement row = Assert.Single((await _command.JsonAsync("top --every 0.05")).EnumerateArray());
        Assert.Equal("bank", row.GetProperty("instance").GetString());
    }

    [Fact]
    public async Task Top_says_of_an_instance_that_is_stopped_that_it_is_and_shows_no_figures()
    {
        await _command.MakeInstanceAsync("bank");
        (_, string table, _) = await _command.RunAsync("top --every 0.05");
        Assert.Matches("(?m)^bank +stopped( +-)+ *$", table);
        JsonElement row = Assert.Single((await _command.JsonAsync("top --every 0.05")).EnumerateArray());
        Assert.Equal("stopped", row.GetProperty("role").GetString());
        Assert.False(row.GetProperty("answers").GetBoolean());
        await using IAsyncDisposable held = await _command.LockAsync("bank");
        Assert.Matches("(?m)^bank +no answer( +-)+ *$", (await _command.RunAsync("top --every 0.05")).Output);
    }

    [Fact]
    public async Task Top_shows_the_others_beside_one_that_cannot_be_looked_at()
    {
        await _command.MakeInstanceAsync("bank");
        await _command.MakeInstanceAsync("far");
        Directory.Delete(_command.FolderOf("far"), recursive: true);
        File.CreateSymbolicLink(_command.FolderOf("far"), _command.FolderOf("far")); // Leads nowhere, for root as well.
        (int code, string table, string error) = await _command.RunAsync("top --every 0.05");
        File.Delete(_command.FolderOf("far"));
        Assert.True(code == 0, error);
        Assert.Matches("(?m)^bank +stopped ", table);
        Assert.Matches("(?m)^far +no answer ", table);
    }

    [Fact]
    public async Task A_store_that_cannot_be_looked_at_is_wrong_and_not_one_that_is_not_there_yet()
    {
        string root = Path.GetDirectoryName(_command.FolderOf("bank"))!;
        File.CreateSymbolicLink(root, root); // For root as well.
        (int code, string output, _) = await _command.RunAsync(["doctor", "--store", "file:" + Path.Combine(root, "below")]);
        File.Delete(root);
        Assert.Equal(65, code);
        Assert.Matches("wrong +store +.*ELOOP", output);
    }

    [Theory]
    [InlineData("--store", "s3://bucket")]
    [InlineData("--catalog", "s3://bucket")]
    public async Task A_store_or_catalog_of_a_kind_that_there_is_not_is_wrong(string option, string uri)
    {
        (int code, string output, _) = await _command.RunAsync($"doctor {option} {uri}");
        Assert.Equal(65, code);
        Assert.Matches($"wrong +{option[2..]} +IC-2040 ", output);
    }

    [Theory]
    [InlineData("top --every 0", "--every takes 0.05 to 3600 seconds.")]
    [InlineData("top --every often", "often")]
    public async Task A_pause_that_is_none_is_a_usage_error(string line, string expected)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(64, code);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }
}
