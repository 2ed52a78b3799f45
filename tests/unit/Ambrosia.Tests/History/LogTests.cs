using System.Text.Json;
using Ambrosia.Tests.Common;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>Looking into logs and checkpoints without running anything.</summary>
public sealed class LogTests(SteadyDice dice) : IClassFixture<SteadyDice>, IDisposable
{
    private readonly CommandFixture _command = new();
    private readonly string _scratch = Directory.CreateTempSubdirectory("ambrosia-log-").FullName;

    public void Dispose()
    {
        _command.Dispose();
        Directory.Delete(_scratch, recursive: true);
    }

    [Fact]
    public async Task Messages_are_shown_as_a_person_reads_them_one_a_line()
    {
        string[] lines = await LinesAsync("log", "show", "dice", "--app", typeof(Dice).Assembly.Location, "--method", "Roll", "--last",
            "3");
        Assert.Equal(3, lines.Length);
        Assert.All(lines, static line => Assert.Matches(@"^\d+:\d+ +\d\d:\d\d:\d\d\.\d\d\d  dice → impulse Roll\(number: \d+\)$", line));
    }

    [Fact]
    public async Task Without_the_app_methods_have_the_names_that_it_told_and_parameters_have_none()
    {
        string[] lines = await LinesAsync("log", "show", "dice", "--from", "2", "--to", "9");
        Assert.Matches(@"impulse Roll\(\d+\)$", lines.First(static line => line.Contains("impulse", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Without_what_the_app_told_methods_are_numbers_and_the_arguments_are_still_there()
    {
        string copy = Copy();
        Directory.Delete(Path.Combine(copy, "contracts"), recursive: true);
        string[] lines = await LinesAsync("log", "show", "dice", "--log", copy, "--from", "2", "--to", "9");
        Assert.Matches(@"impulse \d+\(\d+\)$", lines.First(static line => line.Contains("impulse", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task They_are_filtered_by_position_sender_and_condition()
    {
        string[] app = ["--app", typeof(Dice).Assembly.Location];
        string only = Assert.Single(await LinesAsync(["log", "show", "dice", .. app, "--where", "args.number == 300"]));
        Assert.StartsWith($"{await dice.Log.FindAsync(Dice.Trigger)} ", only, StringComparison.Ordinal);
        Assert.Empty(await LinesAsync(["log", "show", "dice", .. app, "--sender", "nobody"]));
        Assert.All(await LinesAsync(["log", "show", "dice", .. app, "--from", "5:1", "--to", "6:0"]), static line =>
            Assert.Matches("^(5:[1-9]|6:0) ", line));
    }

    [Fact]
    public async Task Without_the_app_an_argument_is_found_by_its_place()
    {
        string only = Assert.Single(await LinesAsync("log", "show", "dice", "--where", "args[0] == 300"));
        Assert.StartsWith($"{await dice.Log.FindAsync(Dice.Trigger)} ", only, StringComparison.Ordinal);
    }

    [Fact]
    public async Task They_are_exported_as_lines_of_json()
    {
        string file = Path.Combine(_scratch, "dice.jsonl");
        string said = Assert.Single(await LinesAsync("log", "export", "dice", "--app", typeof(Dice).Assembly.Location, "-o", file));
        JsonElement[] messages = [.. (await File.ReadAllLinesAsync(file)).Select(static line => JsonDocument.Parse(line).RootElement)];
        Assert.Contains($"{messages.Length} messages written to {file}", said, StringComparison.Ordinal);
        Assert.True(messages.Count(static message => message.GetProperty("method").GetString() == "Roll") > Dice.Trigger);
    }

    [Fact]
    public async Task They_are_exported_as_spans_that_a_collector_of_OpenTelemetry_takes()
    {
        string file = Path.Combine(_scratch, "dice.otlp");
        await LinesAsync("log", "export", "dice", "--format", "otlp-json", "--app", typeof(Dice).Assembly.Location, "-o", file);
        string[] lines = await File.ReadAllLinesAsync(file);
        (string Service, JsonElement Span)[] spans = [.. lines.SelectMany(OtlpTrace.Read)];
        Assert.True(spans.Length > Dice.Trigger);
        Assert.Equal((spans.Length + 499) / 500, lines.Length);
        Assert.All(spans, static span => Assert.Equal("dice", span.Service));
        Assert.Equal(spans.Length, spans.Select(static span => span.Span.GetProperty("spanId").GetString()).Distinct().Count());
        Assert.Contains(spans, static span => span.Span.GetProperty("name").GetString() == "Roll");
        string again = Path.Combine(_scratch, "again.otlp");
        await LinesAsync("log", "export", "dice", "--format", "otlp-json", "--app", typeof(Dice).Assembly.Location, "-o", again);
        Assert.Equal(lines, await File.ReadAllLinesAsync(again));
    }

    [Theory]
    [InlineData("--where", "args.number >", 64, "args.number >")]
    [InlineData("--where", "args.number == 300", 64, "--app")] // Only the app's assembly knows names of parameters.
    [InlineData("--where", "5 ==", 64, "it ends too early")]
    [InlineData("--where", "state.rolls == 1", 64, "'ambrosia debug' can stop at a state")]
    [InlineData("--from", "seventeen", 64, "--from seventeen: write a record as 17 or a message as 17:3.")]
    public async Task A_filter_that_is_none_says_what_to_write(string option, string value, int code, string expected)
    {
        (int ended, _, string error) = await RunAsync("log", "show", "dice", option, value);
        Assert.Equal(code, ended);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_intact_log_is_verified_and_a_flipped_bit_is_found_and_named()
    {
        JsonElement sound = (await JsonAsync("log", "verify", "dice")).Report;
        Assert.Equal(0, sound.GetProperty("damage").GetArrayLength());
        Assert.True(sound.GetProperty("messages").GetInt64() > Dice.Trigger);
        string copy = Copy();
        Flip(Path.Combine(copy, "log"), 9000);
        (int code, _, string error) = await _command.RunAsync(["log", "verify", "dice", "--log", copy]);
        Assert.Equal(65, code);
        Assert.Contains(copy, error, StringComparison.Ordinal);
        Assert.Contains("IC-", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Checkpoints_are_listed_verified_and_exported()
    {
        JsonElement[] listed = [.. (await JsonAsync("checkpoint", "list", "dice")).Report.EnumerateArray()];
        Assert.True(listed.Length > 1);
        Assert.StartsWith("LSN", (await LinesAsync("checkpoint", "list", "dice"))[0], StringComparison.Ordinal);
        Assert.Equal(0, (await JsonAsync("checkpoint", "verify", "dice")).Code);
        string file = Path.Combine(_scratch, "state.bin");
        ulong lsn = listed.Max(static entry => entry.GetProperty("lsn").GetUInt64());
        await LinesAsync("checkpoint", "export", "dice", $"{lsn}", "-o", file);
        Assert.True(new FileInfo(file).Length > 100);
        (int code, _, string error) = await RunAsync("checkpoint", "export", "dice", "12345678", "-o", file);
        Assert.Equal(66, code);
        Assert.Contains("there are some at", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_damaged_checkpoint_is_found()
    {
        string copy = Copy();
        Flip(Path.Combine(copy, "checkpoints"), 4200);
        (int code, string output, string error) = await _command.RunAsync(["checkpoint", "verify", "dice", "--log", copy]);
        Assert.Equal(65, code);
        Assert.Contains("DAMAGED", output, StringComparison.Ordinal);
        Assert.Contains("IC-", error, StringComparison.Ordinal);
    }

    private static void Flip(string folder, int offset)
    {
        string file = Directory.EnumerateFiles(folder).Order(StringComparer.Ordinal).Last(path => new FileInfo(path).Length > offset);
        byte[] bytes = File.ReadAllBytes(file);
        bytes[offset] ^= 0x10;
        File.WriteAllBytes(file, bytes);
    }

    private string Copy()
    {
        string copy = Path.Combine(_scratch, "copy");
        foreach (string file in Directory.EnumerateFiles(dice.Log.Folder, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(copy, Path.GetRelativePath(dice.Log.Folder, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }

        return copy;
    }

    private Task<(int Code, string Output, string Error)> RunAsync(params string[] words) =>
        _command.RunAsync([.. words, "--store", dice.Log.Store]);

    private async Task<string[]> LinesAsync(params string[] words)
    {
        (int code, string output, string error) = await RunAsync(words);
        Assert.True(code == 0, error);
        Assert.DoesNotContain('\u001b', output);
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private async Task<(int Code, JsonElement Report)> JsonAsync(params string[] words)
    {
        (int code, string output, _) = await RunAsync([.. words, "--json"]);
        return (code, JsonDocument.Parse(output).RootElement);
    }
}
