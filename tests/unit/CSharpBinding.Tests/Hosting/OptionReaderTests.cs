using Ambrosia.Hosting;
using Ambrosia.Primitives;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

public sealed class OptionReaderTests
{
    private readonly ImmortalOptions _options = new() { InstanceName = "bank" };
    private readonly Dictionary<string, string> _environment = [];

    [Fact]
    public void The_command_line_wins_over_the_environment_and_that_over_appsettings()
    {
        _environment["AMBROSIA_STORE"] = "file:/from-environment";
        _environment["AMBROSIA_CATALOG"] = "file:/from-environment";
        const string settings =
            """{ "Ambrosia": { "Store": "file:/from-json", "Catalog": "file:/from-json", "OnFault": "stop" } } // comment""";

        OptionReader reader = Read(settings, "--store", "file:/from-args", "--own-option", "5");

        Assert.Equal("file:/from-args", _options.Store);
        Assert.Equal("file:/from-environment", _options.Catalog);
        Assert.Equal(FaultPolicy.Stop, _options.OnFault);
        Assert.Equal("bank", _options.InstanceName);
        string[] lines = [.. reader.Describe()];
        Assert.Contains(lines, line =>
            line.StartsWith("store", StringComparison.Ordinal) && line.EndsWith("--store", StringComparison.Ordinal));
        Assert.Contains(lines, line =>
            line.StartsWith("catalog", StringComparison.Ordinal) && line.EndsWith("AMBROSIA_CATALOG", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith("on-fault", StringComparison.Ordinal)
            && line.EndsWith("appsettings.json Ambrosia:OnFault", StringComparison.Ordinal));
        Assert.Contains(lines, line =>
            line.StartsWith("instance-name", StringComparison.Ordinal) && line.EndsWith("default", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--on-fault=ignore", "'ignore' is not a value for --on-fault: continue|stop is expected.")]
    [InlineData("--on-fault=1", "'1' is not a value for --on-fault")]
    [InlineData("--connect-timeout=soon", "'soon' is not a value for --connect-timeout: seconds is expected.")]
    [InlineData("--connect-timeout=1,5", "'1,5' is not a value for --connect-timeout: seconds is expected.")]
    [InlineData("--connect-timeout=-1", "'-1' is not a value for --connect-timeout")]
    [InlineData("--instance-nam=x", "There is no option --instance-nam. Did you mean --instance-name?")]
    [InlineData("--store", "--store needs a value")]
    public void A_wrong_option_is_an_error_that_says_what_is_right(string argument, string expected)
    {
        OptionException error = Assert.Throws<OptionException>(() => Read(null, argument));

        Assert.StartsWith(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_of_the_app_itself_are_left_alone()
    {
        Read(null, "--chaos", "60", "run", "--", "--store", "mine");

        Assert.Equal("", _options.Store);
    }

    [Fact]
    public void An_option_of_the_coordinator_is_named_once_with_where_it_belongs()
    {
        Assert.Empty(Read(null, "--store", "file:/here", "--ingress", "127.0.0.1:8080").Hints);
        string hint = Assert.Single(Read(null, "--admin", "127.0.0.1:8080", "--admin=unix:/run/admin", "--own", "5").Hints);
        Assert.StartsWith("--admin is an option of the coordinator and changes nothing here", hint, StringComparison.Ordinal);
        Assert.EndsWith("write --coordinator-arguments \"--admin ...\".", hint, StringComparison.Ordinal);

        hint = Assert.Single(
            Read(null, "--ingress", "", "--log-format", "json", "--binding-socket", "/run/bank.sock", "--", "--admin", "x").Hints);
        Assert.EndsWith(
            "give it to the coordinator at /run/bank.sock, with ambrosia run as --coordinator-option=--log-format=VALUE.", hint,
            StringComparison.Ordinal);
        hint = Assert.Single(Read(null, "--ingress", "127.0.0.1:8080", "--binding-socket", "/run/bank.sock").Hints);
        Assert.Equal("--ingress changes nothing here, because the coordinator runs already: give it to the coordinator at /run/bank.sock, "
            + "with ambrosia run as --coordinator-option=--ingress=VALUE.", hint);
    }

    [Fact]
    public void Help_names_every_option_and_an_example()
    {
        string help = string.Join('\n', OptionReader.Help("bank"));

        Assert.All(AppOption.All, option =>
            Assert.Contains(option.IsSecret ? option.Variable + " " : "--" + option.Name + " ", help, StringComparison.Ordinal));
        Assert.Contains("Example: bank ", help, StringComparison.Ordinal);
        Assert.True(Read(null, "--help").WantsHelp);
        Assert.True(Read(null, "--print-config").WantsConfig);
    }

    [Fact]
    public void A_secret_comes_from_the_environment_or_a_file_and_is_refused_as_an_argument()
    {
        Assert.Contains("Set AMBROSIA_TOKEN, or name a file with --token-file",
            Assert.Throws<OptionException>(() => Read(null, "--token", "secret")).Message, StringComparison.Ordinal);
        _environment["AMBROSIA_TOKEN"] = "secret";
        Read(null);
        Assert.Equal("secret", LinkToken.Of(_options));
        string file = Path.GetTempFileName();
        try
        {
            File.WriteAllText(file, " of the file\n");
            Read(null, "--token-file", file);
            Assert.Equal("of the file", LinkToken.Of(_options));
        }
        finally
        {
            File.Delete(file);
        }

        Assert.Throws<CoordinatorUnavailableException>(() => LinkToken.Of(_options));
    }

    [Fact]
    public void Appsettings_that_are_no_json_are_an_error_of_one_sentence()
    {
        Assert.StartsWith("appsettings.json cannot be read: ", Assert.Throws<OptionException>(() => Read("{ nonsense")).Message,
            StringComparison.Ordinal);
        Read("[1, 2]");
    }

    [Theory]
    [InlineData("""{ "Ambrosia": { "Sotre": "file:/x" } }""",
        "There is no option appsettings.json Ambrosia:Sotre. Did you mean appsettings.json Ambrosia:Store?")]
    [InlineData("""{ "Ambrosia": "file:/x" }""", "appsettings.json Ambrosia is no section: write { \"Ambrosia\": {")]
    [InlineData("""{ "Ambrosia": { "EffectsDrain": "2,5" } }""", "'2,5' is not a value for appsettings.json Ambrosia:EffectsDrain")]
    public void A_wrong_setting_is_an_error_that_says_what_is_right(string settings, string expected) =>
        Assert.StartsWith(expected, Assert.Throws<OptionException>(() => Read(settings)).Message, StringComparison.Ordinal);

    [Fact]
    public void Appsettings_are_read_as_a_host_reads_them()
    {
        Read("""{ "ambrosia": { "store": "file:/x", "Theme": "dark", "CheckQueries": null, "onfault": "stop", "bank": { "Sotre": "file:/y" } } }""");

        Assert.Equal(("file:/x", FaultPolicy.Stop, null), (_options.Store, _options.OnFault, _options.CheckQueries));
    }

    private OptionReader Read(string? settings, params string[] args)
    {
        var reader = new OptionReader(_options, name => _environment.GetValueOrDefault(name));
        reader.Read(args, settings);
        return reader;
    }
}
