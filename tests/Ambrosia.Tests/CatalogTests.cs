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

    [Theory]
    [InlineData("catalog show nobody")]
    [InlineData("catalog remove nobody")]
    public async Task What_is_not_there_is_not_found(string line) => Assert.Equal(66, (await _command.RunAsync(line)).Code);
}
