using System.Text.Json;

namespace Ambrosia.Cli.Tests;

public sealed class CatalogTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task Entries_are_listed_shown_and_removed_and_the_log_stays()
    {
        await _command.MakeInstanceAsync("bank");
        JsonElement listed = Assert.Single((await _command.JsonAsync("catalog list")).EnumerateArray());
        Assert.Equal("bank", listed.GetProperty("instance").GetString());
        (_, string shown, _) = await _command.RunAsync("catalog show bank");
        Assert.Matches("address +127.0.0.1:4100", shown);

        (int code, string removed, _) = await _command.RunAsync("catalog remove bank");
        Assert.Equal(0, code);
        Assert.Contains("log is untouched", removed, StringComparison.Ordinal);
        Assert.True(Directory.Exists(_command.FolderOf("bank")));
        Assert.Empty((await _command.JsonAsync("catalog list")).EnumerateArray());
    }

    [Fact]
    public async Task The_list_says_where_calls_from_outside_reach_an_instance()
    {
        await _command.MakeInstanceAsync("bank", "http://127.0.0.1:8080");
        await _command.MakeInstanceAsync("shop");
        (_, string listed, _) = await _command.RunAsync("catalog list");
        Assert.Matches("CALLS FROM OUTSIDE +IDENTITY", listed);
        Assert.Matches("bank +[0-9]+ +127.0.0.1:4100 +http://127.0.0.1:8080 +[0-9a-f]", listed);
        Assert.Matches("shop +[0-9]+ +127.0.0.1:4100 +[0-9a-f]", listed);
    }

    [Theory] // One damaged file hid all other instances.
    [InlineData("status", 65)]
    [InlineData("catalog list", 65)]
    [InlineData("doctor", 65)]
    [InlineData("top --once", 0)]
    public async Task A_damaged_entry_is_named_and_hides_no_other(string line, int expected)
    {
        await _command.MakeInstanceAsync("bank");
        await File.WriteAllTextAsync(Path.Combine(_command.Home, "catalog", ".catalog", "old.json"), "{}");
        (int code, string output, string error) = await _command.RunAsync(line);
        Assert.Equal(expected, code);
        Assert.Contains("bank", output, StringComparison.Ordinal);
        if (expected != 0)
        {
            Assert.Contains("IC-2050 the catalog's entry of 'old' is damaged", output + error, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("catalog show nobody")]
    [InlineData("catalog remove nobody")]
    public async Task What_is_not_there_is_not_found(string line) => Assert.Equal(66, (await _command.RunAsync(line)).Code);
}
