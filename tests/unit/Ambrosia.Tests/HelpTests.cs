using System.CommandLine;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Tests;

/// <summary>Help is there for everything that can be typed, and shows how.</summary>
public sealed class HelpTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public static TheoryData<string> Verbs()
    {
        var verbs = new TheoryData<string>();
        Collect(new AmbrosiaCommand(new Terminal(TextWriter.Null, TextWriter.Null, TextReader.Null, false), static _ =>
            null, TimeProvider.System).Root, "", verbs);
        return verbs;
    }

    public void Dispose() => _command.Dispose();

    [Theory]
    [MemberData(nameof(Verbs))]
    public async Task Every_verb_explains_itself_with_an_example(string verb)
    {
        (int code, string help, string error) = await _command.RunAsync($"{verb} --help");
        Assert.True(code == 0, error);
        Assert.Contains("Example: ", help, StringComparison.Ordinal);
        Assert.Contains($"ambrosia {verb}", help[help.IndexOf("Example: ", StringComparison.Ordinal)..], StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', help);
    }

    [Theory]
    [InlineData("gateway", "--catalog", "--store,--cluster,--admin,--admin-token-file,--json")]
    [InlineData("client typescript", "--json", "--store,--catalog,--cluster,--admin,--admin-token-file")]
    [InlineData("client proto", "--json", "--store,--catalog,--cluster,--admin,--admin-token-file")]
    [InlineData("client", "--json", "--store,--catalog,--cluster,--admin,--admin-token-file")]
    [InlineData("status", "--store,--catalog,--cluster,--admin,--admin-token-file,--json", "")]
    public async Task Help_shows_of_the_options_of_all_verbs_those_that_the_verb_reads(string verb, string shown, string hidden)
    {
        (_, string help, _) = await _command.RunAsync($"{verb} --help");
        Assert.All(shown.Split(','), option => Assert.Matches($@"(?m)^\s+{option}( |$)", help));
        Assert.All(hidden.Split(',', StringSplitOptions.RemoveEmptyEntries),
            option => Assert.DoesNotMatch($@"(?m)^\s+{option}( |$)", help));
        Assert.Contains("--help", help, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_overview_names_every_verb()
    {
        (int code, string help, _) = await _command.RunAsync("--help");
        Assert.Equal(0, code);
        foreach (string verb in new[] { "run", "move", "upgrade", "status", "catalog", "checkpoint", "deadletters", "effects", "erase",
            "debug", "retest", "verify", "log", "top", "doctor", "gateway", "explain", "manifests", "client", "completion" })
        {
            Assert.Matches($@"(?m)^\s+{verb} ", help);
        }
    }

    [Theory]
    [InlineData("bash", "complete ")]
    [InlineData("zsh", "compdef ")]
    [InlineData("fish", "complete ")]
    public async Task Shells_are_told_how_to_complete(string shell, string word)
    {
        (int code, string text, _) = await _command.RunAsync($"completion {shell}");
        Assert.Equal(0, code);
        Assert.Contains(word, text, StringComparison.Ordinal);
        Assert.Equal(64, (await _command.RunAsync("completion tcsh")).Code);
    }

    [Fact]
    public async Task What_shells_ask_is_answered_with_verbs()
    {
        (int code, string words, _) = await _command.RunAsync(["[suggest:3]", "che"]);
        Assert.Equal(0, code);
        Assert.Contains("checkpoint", words, StringComparison.Ordinal);
    }

    // Groups such as log have nothing to type but their verbs.
    private static void Collect(Command command, string path, TheoryData<string> verbs)
    {
        foreach (Command verb in command.Subcommands)
        {
            string name = $"{path} {verb.Name}".Trim();
            if (verb.Action is not null)
            {
                verbs.Add(name);
            }

            Collect(verb, name, verbs);
        }
    }
}
