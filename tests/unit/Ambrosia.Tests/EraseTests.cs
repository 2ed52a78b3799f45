namespace Ambrosia.Cli.Tests;

public sealed class EraseTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task An_instance_is_erased_with_its_entry_when_the_name_is_typed()
    {
        await _command.MakeInstanceAsync("bank");
        (int code, string output, _) = await _command.RunAsync("erase bank", typed: "bank\n");
        Assert.Equal(0, code);
        Assert.Contains("Erased bank", output, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_command.FolderOf("bank")));
        Assert.Empty((await _command.JsonAsync("catalog list")).EnumerateArray());
    }

    [Theory]
    [InlineData("yes\n")]
    [InlineData("")]
    [InlineData(null)]
    public async Task Nothing_is_erased_unless_the_name_is_typed(string? typed)
    {
        await _command.MakeInstanceAsync("bank");
        (int code, _, string error) = await _command.RunAsync("erase bank", typed);
        Assert.Equal(75, code);
        Assert.Contains("Nothing was erased", error, StringComparison.Ordinal);
        Assert.True(Directory.Exists(_command.FolderOf("bank")));
    }

    [Fact]
    public async Task A_running_instance_is_not_erased()
    {
        await _command.MakeInstanceAsync("bank");
        await using (await _command.LockAsync("bank"))
        {
            (int code, _, string error) = await _command.RunAsync("erase bank --yes");
            Assert.Equal(75, code);
            Assert.Contains("bank is running", error, StringComparison.Ordinal);
        }

        Assert.True(Directory.Exists(Path.Combine(_command.FolderOf("bank"), "log")));
        Assert.Equal(0, (await _command.RunAsync("erase bank --yes")).Code);
    }

    [Fact]
    public async Task A_name_that_leads_elsewhere_is_refused() =>
        Assert.NotEqual(0, (await _command.RunAsync("erase ../../etc --yes")).Code);

    [Fact]
    public async Task What_is_not_there_cannot_be_erased() => Assert.Equal(66, (await _command.RunAsync("erase nobody --yes")).Code);
}
