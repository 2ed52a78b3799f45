using System.Text.Json;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>Verification finds what a start of the coordinator would refuse or warn of, and says it with the same code.</summary>
public sealed class LogVerificationTests(ThreeLives dice) : IClassFixture<ThreeLives>, IDisposable
{
    private static readonly string[] s_verbs = ["log verify dice", "checkpoint verify dice", "doctor"];
    private readonly CommandFixture _command = new();

    private string Folder => _command.FolderOf("dice");

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task What_nobody_touched_is_intact_for_all_of_them()
    {
        Copy();
        await RequireAsync(0, null);
        Assert.Null(await StartCodeAsync());
    }

    [Fact]
    public async Task A_newest_segment_that_is_gone_is_named_as_the_start_names_it()
    {
        Copy();
        File.Delete(Segments()[^1]);
        await RequireAsync(65, "IC-2004");
        Assert.Equal("IC-2004", await StartCodeAsync());
    }

    [Fact]
    public async Task A_segment_that_is_missing_between_others_is_named_as_the_start_names_it()
    {
        Copy();
        File.Delete(Segments()[1]);
        await RequireAsync(65, "IC-2004");
        Assert.Equal("IC-2004", await StartCodeAsync());
    }

    [Fact]
    public async Task An_end_that_is_gone_from_the_newest_segment_is_named_as_the_start_names_it()
    {
        Copy();
        using (FileStream newest = File.OpenWrite(Segments()[^1]))
        {
            newest.SetLength(4096);
        }

        await RequireAsync(65, "IC-2005");
        Assert.Equal("IC-2005", await StartCodeAsync());
    }

    [Fact]
    public async Task An_oldest_segment_that_retention_keeps_and_is_gone_is_found()
    {
        Copy();
        File.Delete(Segments()[0]);
        await RequireAsync(65, "IC-2007");
        Assert.Null(await StartCodeAsync()); // It warns: it has newer checkpoints to begin with.
    }

    [Fact]
    public async Task A_checkpoint_that_is_gone_is_found()
    {
        Copy();
        File.Delete(Directory.EnumerateFiles(Path.Combine(Folder, "checkpoints"), "*.ckpt").Order(StringComparer.Ordinal).First());
        await RequireAsync(65, "IC-2011");
    }

    [Fact]
    public async Task Damage_in_a_sealed_segment_before_the_newest_checkpoint_is_found_by_reading_the_whole_log()
    {
        Copy();
        string oldest = Segments()[0];
        byte[] bytes = await File.ReadAllBytesAsync(oldest);
        bytes[4096 + 80] ^= 1;
        await File.WriteAllBytesAsync(oldest, bytes);
        (int code, string output, string error) = await RunAsync("log verify dice");
        Assert.Equal(65, code);
        Assert.Contains("DAMAGED", output, StringComparison.Ordinal);
        Assert.Contains("IC-2001", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_log_that_cannot_even_be_opened_is_reported_as_JSON_like_any_other_damage()
    {
        Copy();
        File.Delete(Segments()[1]);
        (int code, string output, _) = await RunAsync("log verify dice --json");
        Assert.Equal(65, code);
        JsonElement damage = JsonDocument.Parse(output).RootElement.GetProperty("damage");
        Assert.StartsWith("IC-2004", Assert.Single(damage.EnumerateArray().ToArray()).GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_log_of_which_no_segment_is_left_is_damaged_for_all_of_them()
    {
        Copy();
        Array.ForEach(Segments(), File.Delete);
        await RequireAsync(65, "IC-2004");
        Assert.Equal("IC-2004", await StartCodeAsync());
        (int code, _, string error) = await RunAsync($"log verify dice --log {Folder}");
        Assert.Equal(65, code);
        Assert.Contains("IC-2004", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Checkpoints_count_that_are_there_and_not_those_that_a_manifest_names()
    {
        Copy();
        string[] checkpoints = Directory.GetFiles(Path.Combine(Folder, "checkpoints"), "*.ckpt");
        Array.ForEach(Directory.GetFiles(Folder, "manifest.*"), File.Delete);
        (_, string output, _) = await RunAsync("doctor");
        Assert.Contains($"stopped; {checkpoints.Length} checkpoints, newest at ", output, StringComparison.Ordinal);
        Assert.DoesNotContain("begins afresh", output, StringComparison.Ordinal);
    }

    private async Task RequireAsync(int expected, string? ic)
    {
        foreach (string verb in s_verbs)
        {
            (int code, string output, string error) = await RunAsync(verb);
            Assert.True(code == expected, $"{verb} ended with {code}: {output}{error}");
            if (ic is not null)
            {
                Assert.Contains(ic, output + error, StringComparison.Ordinal);
                Assert.DoesNotContain("all intact", output, StringComparison.Ordinal);
            }
        }
    }

    /// <summary>What a coordinator that starts on this folder refuses with; null when it starts.</summary>
    private async Task<string?> StartCodeAsync()
    {
        ILogLease? lease = null;
        try
        {
            var options = new LogStoreOptions { Cluster = "default" };
            await using WriteAheadLog log = await LogStores.OpenLogAsync(_command.Store, "dice", options, new LogStoreEnvironment());
            lease = await log.TryAcquireAsync();
            await log.BecomeWriterAsync(lease!);
            return null;
        }
        catch (LogStoreException refused)
        {
            return refused.Code;
        }
        finally
        {
            if (lease is not null)
            {
                await lease.DisposeAsync();
            }
        }
    }

    // Without its coordinator the doctor has something to say that is of no interest here.
    private async Task<(int Code, string Output, string Error)> RunAsync(string line)
    {
        (int code, string output, string error) = await _command.RunAsync(line + " --store " + _command.Store);
        return (code, output, error);
    }

    private string[] Segments() => [.. Directory.EnumerateFiles(Path.Combine(Folder, "log"), "*.seg").Order(StringComparer.Ordinal)];

    private void Copy()
    {
        foreach (string file in Directory.EnumerateFiles(dice.Log.Folder, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(Folder, Path.GetRelativePath(dice.Log.Folder, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }

        Assert.True(Segments().Length >= 3);
    }
}
