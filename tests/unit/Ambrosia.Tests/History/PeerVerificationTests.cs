using System.Text.Json;

namespace Ambrosia.Cli.Tests.History;

/// <summary>What a log has lost and no byte of it shows, its peers know.</summary>
public sealed class PeerVerificationTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Theory]
    [InlineData(5, 0, null)]
    [InlineData(5, 1, "IC-2020 bank had confirmed message 5 of till, and its log holds 4 of them")]
    public async Task A_log_that_holds_less_than_a_peer_was_told_is_damaged(int confirmed, int lost, string? expected)
    {
        var bank = new HandMadeLog(_command.Store, "bank");
        var till = new HandMadeLog(_command.Store, "till");
        await till.LiveAsync();
        await bank.LiveAsync(HandMadeLog.Received("till", till.Id, confirmed - lost, 1));
        await till.LiveAsync(HandMadeLog.Confirmed("bank", bank.Id, confirmed));
        await RequireAsync(expected);
    }

    [Fact]
    public async Task A_log_whose_later_epoch_a_peer_has_logged_is_damaged()
    {
        var bank = new HandMadeLog(_command.Store, "bank");
        var till = new HandMadeLog(_command.Store, "till");
        await bank.LiveAsync(HandMadeLog.Message()); // Nobody knows what it sent.
        await till.LiveAsync(HandMadeLog.Received("bank", bank.Id, 1, 2));
        await bank.LiveAsync(HandMadeLog.Received("till", till.Id, 1, 1));
        await RequireAsync(null); // It is in that epoch.
        await till.LiveAsync(HandMadeLog.Received("bank", bank.Id, 2, 3));
        await RequireAsync("IC-3001 till has logged messages of epoch 3 of bank, and its log ends with epoch 2");
    }

    [Theory]
    [InlineData(3, true, null)]
    [InlineData(4, false, null)] // Its last record may have sent it: only a replay can tell.
    [InlineData(4, true, "IC-6002 till has logged 4 messages of bank, and its log brings forth 3")]
    public async Task A_log_that_accounts_for_fewer_messages_than_a_peer_has_logged_is_damaged(int logged, bool isAccounted,
        string? expected)
    {
        var bank = new HandMadeLog(_command.Store, "bank");
        var till = new HandMadeLog(_command.Store, "till");
        byte[] last = isAccounted ? HandMadeLog.Sent(2, "till", 1) : HandMadeLog.Message();
        await bank.LiveAsync(HandMadeLog.Message(), HandMadeLog.Message(), HandMadeLog.Sent(1, "till", 2), HandMadeLog.Sent(2, "till", 1),
            last);
        await till.LiveAsync(HandMadeLog.Received("bank", bank.Id, logged, 1));
        await RequireAsync(expected);
    }

    [Fact]
    public async Task Another_instance_of_the_same_name_says_nothing()
    {
        var bank = new HandMadeLog(_command.Store, "bank");
        var till = new HandMadeLog(_command.Store, "till");
        await bank.LiveAsync(HandMadeLog.Confirmed("till", Guid.NewGuid(), 1));
        await till.LiveAsync(HandMadeLog.Confirmed("bank", Guid.NewGuid(), 7), HandMadeLog.Received("bank", Guid.NewGuid(), 7, 9));
        await RequireAsync(null);
    }

    [Fact]
    public async Task A_peer_elsewhere_is_named_by_its_folder()
    {
        var bank = new HandMadeLog(_command.Store, "bank");
        var till = new HandMadeLog($"file:{_command.Home}/elsewhere", "till");
        await till.LiveAsync();
        await bank.LiveAsync(HandMadeLog.Received("till", till.Id, 4, 1));
        await till.LiveAsync(HandMadeLog.Confirmed("bank", bank.Id, 5));
        Assert.Equal(0, (await _command.RunAsync($"log verify bank --store {_command.Store}")).Code);
        (int code, string output, string error) =
            await _command.RunAsync($"log verify bank --store {_command.Store} --peer {_command.Home}/elsewhere/till --json");
        Assert.True(code == 65, error);
        JsonElement report = JsonDocument.Parse(output).RootElement;
        Assert.Equal("till", Assert.Single(report.GetProperty("comparedWith").EnumerateArray().ToArray()).GetString());
        Assert.StartsWith("IC-2020", Assert.Single(report.GetProperty("damage").EnumerateArray().ToArray()).GetString(),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nowhere", "There is no folder")]
    [InlineData("empty", "There is no log in")]
    public async Task A_named_peer_that_is_not_there_is_said_and_not_passed_over(string folder, string expected)
    {
        var bank = new HandMadeLog(_command.Store, "bank");
        await bank.LiveAsync(HandMadeLog.Message());
        Directory.CreateDirectory(Path.Combine(_command.Home, "empty"));
        foreach (string line in new[] { "log verify bank", "log export bank --format otlp-json" })
        {
            (int code, string output, string error) =
                await _command.RunAsync($"{line} --store {_command.Store} --peer {_command.Home}/{folder}");
            Assert.True(code == 66, output + error);
            Assert.Contains(expected, error, StringComparison.Ordinal);
            Assert.DoesNotContain("all intact", output, StringComparison.Ordinal);
        }
    }

    private async Task RequireAsync(string? expected)
    {
        (int code, string output, string error) = await _command.RunAsync($"log verify bank --store {_command.Store}");
        Assert.True(code == (expected is null ? 0 : 65), output + error);
        Assert.Contains("compared with till", output, StringComparison.Ordinal);
        Assert.Contains(expected ?? "", error, StringComparison.Ordinal);
        string doctor = (await _command.RunAsync($"doctor --store {_command.Store}")).Output;
        string finding = doctor.Split('\n').Single(static line => line.Contains(" instance bank ", StringComparison.Ordinal));
        Assert.Equal(expected is not null, finding.StartsWith("wrong", StringComparison.Ordinal));
        Assert.Contains(expected ?? "", finding, StringComparison.Ordinal);
    }
}
