using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

public sealed class ConfigurationTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly Dictionary<string, string> _environment = new() { ["AMBROSIA_HOME"] = "/home/a", ["XDG_RUNTIME_DIR"] = "/run/user/7" };

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_name_alone_is_enough_to_start()
    {
        CoordinatorOptions options = Read("--instance-name", "bank");
        Assert.Equal("bank", options.InstanceName);
        Assert.Equal("file:/home/a/instances", options.Store);
        Assert.Equal("file:/home/a/catalog", options.Catalog);
        Assert.Equal("tcp:127.0.0.1:0", options.PeerAddress.ToString());
        Assert.StartsWith("unix:/run/user/7/ambrosia/", options.BindingSocket!.ToString(), StringComparison.Ordinal);
        Assert.Null(options.Admin);
        Assert.Equal(64 << 20, options.CheckpointEvery);
    }

    [Fact]
    public void Places_follow_the_data_folder_when_no_home_is_set()
    {
        _environment.Remove("AMBROSIA_HOME");
        _environment["XDG_DATA_HOME"] = "/data";
        Assert.Equal("file:/data/ambrosia/instances", Read("--instance-name=bank").Store);
        _environment.Remove("XDG_DATA_HOME");
        _environment["HOME"] = "/home/b";
        Assert.Equal("file:/home/b/.local/share/ambrosia/instances", Read("--instance-name=bank").Store);
    }

    [Fact]
    public void Two_instances_and_two_stores_have_different_sockets_and_the_same_pair_has_the_same()
    {
        string[] sockets =
        [
            Socket("bank", "file:/s"), Socket("shop", "file:/s"), Socket("bank", "file:/t"), Socket("bank", "/s"),
        ];
        Assert.Equal(3, sockets.Distinct().Count());
        Assert.Equal(sockets[0], sockets[3]);
        string Socket(string name, string store) => Read("--instance-name", name, "--store", store).BindingSocket!.ToString();
    }

    [Fact]
    public void The_command_line_wins_over_the_environment_and_that_over_the_file()
    {
        File.WriteAllText(_folder["c.json"],
            """{ "Ambrosia": { "maxLag": "1GiB", "max-spill": "2GiB", "Cluster": "file", }, /* ours */ "Logging": {} }""");
        _environment["AMBROSIA_MAX_SPILL"] = "3GiB";
        _environment["AMBROSIA_CLUSTER"] = "environment";
        _environment["AMBROSIA_HEARTBEAT"] = ""; // A manifest's empty value means: not set.
        string[] arguments = ["--instance-name", "bank", "--config", _folder["c.json"], "--cluster=line"];
        CoordinatorOptions options = Read(arguments);
        Assert.Equal((1L << 30, 3L << 30, "line"), (options.MaxLag, options.MaxSpill, options.Cluster));
        string[] described = [.. Configuration.Read(arguments, Variable).Describe()];
        Assert.Contains(described, line => Has(line, "max-lag", "1GiB", _folder["c.json"]));
        Assert.Contains(described, line => Has(line, "max-spill", "3GiB", "AMBROSIA_MAX_SPILL"));
        Assert.Contains(described, line => Has(line, "cluster", "line", "command line"));
        Assert.Contains(described, line => Has(line, "heartbeat", "1s", "default"));
        static bool Has(string line, string name, string value, string origin) =>
            line.StartsWith(name, StringComparison.Ordinal) && line.EndsWith($"  {value}  [{origin}]", StringComparison.Ordinal);
    }

    [Fact]
    public void The_socket_variable_is_the_one_that_the_app_knows_too()
    {
        _environment["AMBROSIA_SOCKET"] = "/run/a.sock";
        Assert.Equal(EndPointName.Unix("/run/a.sock"), Read("--instance-name", "bank").BindingSocket);
    }

    [Theory]
    [InlineData("IC-1003", "no name")]
    [InlineData("IC-1001", "did you mean --instance-name?", "--instance-nam", "x")]
    [InlineData("IC-1001", "did you mean --admin-token-file?", "--instance-name=b", "--admin-token", "x")]
    [InlineData("IC-1001", "did you mean --instance-name?", "--name", "b")]
    [InlineData("IC-1001", "did you mean --admin?", "--instance-name=b", "--admin-address", "x")]
    [InlineData("IC-1001", "did you mean --max-lag?", "--instance-name=b", "--maxlagg", "3")]
    [InlineData("IC-1001", "| --help lists all options", "--instance-name=b", "--no-such-option")] // Nothing is near: no guess.
    [InlineData("IC-1001", "'bank' is not an option", "--instance-name=b", "bank")]
    [InlineData("IC-1001", "begin with --", "--instance-name=b", "-x")]
    [InlineData("IC-1001", "--peer-address", "--instanceName=b", "--port=1500")] // As the original's command line was.
    [InlineData("IC-1001", "--store file:", "--instanceName=b", "-l=/logs")]
    [InlineData("IC-1001", "--replica-id", "--instanceName=b", "-aa", "1")]
    [InlineData("IC-1001", "--legacy-upgrade-to", "--instanceName=b", "--upgradeVersion=2")]
    [InlineData("IC-1001", "nothing is registered", "RegisterInstance", "--instanceName=b")]
    [InlineData("IC-1004", "--send-port", "--instanceName=b", "--legacy-upgrade-to=2")]
    [InlineData("IC-1002", "--instance-name NAME", "--instance-name")]
    [InlineData("IC-1002", "1.5GiB", "--instance-name=b", "--segment-size", "64MX")]
    [InlineData("IC-1002", "such as 500ms", "--instance-name=b", "--heartbeat", "3")]
    [InlineData("IC-1002", "auto, create, recover", "--instance-name=b", "--start", "2")]
    [InlineData("IC-1002", "true or false", "--instance-name=b", "--no-log=yes")]
    [InlineData("IC-1002", "count:N", "--instance-name=b", "--retain", "count:1")]
    [InlineData("IC-1002", "0 to 65535", "--instance-name=b", "--peer-address", "host:65536")]
    [InlineData("IC-1002", "beginning with a letter or digit", "--instance-name", "../bank")]
    [InlineData("IC-1002", "--binding-address", "--instance-name=b", "--binding-socket", "127.0.0.1:9")]
    [InlineData("IC-1004", "given twice", "--instance-name=b", "--instance-name=c")]
    [InlineData("IC-1004", "four pages", "--instance-name=b", "--segment-size", "1MiB")]
    [InlineData("IC-1004", "64KiB to 4MiB", "--instance-name=b", "--page-size", "70000")]
    [InlineData("IC-1004", "give both", "--instance-name=b", "--receive-port", "2000")]
    [InlineData("IC-1004", "give both", "--instance-name=b", "--receive-port", "2000", "--send-port", "2000")]
    [InlineData("IC-1004", "nothing to recover", "--instance-name=b", "--no-log", "--start", "recover")]
    [InlineData("IC-1005", "107 bytes", "--instance-name=b", "--binding-socket",
        "/very-long-very-long-very-long-very-long-very-long-very-long-very-long-very-long-very-long-very-long-path.sock")]
    [InlineData("IC-1006", "cannot be read", "--instance-name=b", "--config", "/nowhere/at/all.json")]
    [InlineData("IC-1007", "stop the instance", "--instance-name=b", "--admin", "0.0.0.0:80")]
    [InlineData("IC-1004", "0.0.0.0 for all", "--instance-name=b", "--health", "pod.example:80")]
    [InlineData("IC-1007", "beside its coordinator", "--instance-name=b", "--binding-address", "10.0.0.1:80")]
    [InlineData("IC-1007", "--advertise", "--instance-name=b", "--peer-address", "0.0.0.0:5000", "--allow-plaintext-peers")]
    [InlineData("IC-1015", "--allow-plaintext-peers", "--instance-name=b", "--peer-address", "10.0.0.1:5000")]
    [InlineData("IC-1015", "--peer-cert-file", "--instance-name=b", "--advertise", "bank.example:5000")]
    [InlineData("IC-1004", "give all three", "--instance-name=b", "--peer-cert-file", "/a", "--peer-key-file", "/b")]
    [InlineData("IC-1002", "{instance}", "--instance-name=b", "--peer-identity", "spiffe://bank.example/all")]
    [InlineData("IC-1004", "go together", "--instance-name=b", "--ingress-jwt-issuer", "https://login.example")]
    [InlineData("IC-1004", "go together", "--instance-name=b", "--ingress-jwt-keys", "keys.json", "--ingress-jwt-audience", "shop")]
    [InlineData("IC-1004", "go together", "--instance-name=b", "--ingress-jwt-methods-claim", "may")]
    [InlineData("IC-1004", "visible ASCII", "--instance-name=b", "--ingress-jwt-issuer", "a#b", "--ingress-jwt-audience", "shop",
        "--ingress-jwt-keys", "keys.json")]
    [InlineData("IC-1004", "no https address", "--instance-name=b", "--ingress-jwt-issuer", "a", "--ingress-jwt-audience", "shop",
        "--ingress-jwt-keys", "http://login.example/keys")]
    [InlineData("IC-1007", "--ingress-jwt-issuer", "--instance-name=b", "--ingress", "0.0.0.0:8080")]
    [InlineData("IC-1002", "without a path", "--instance-name=b", "--ingress-origins", "https://shop.example/")]
    [InlineData("IC-1002", "shop-*", "--instance-name=b", "--allow-peers", "shop,,teller")]
    public void A_mistake_is_one_whole_sentence_with_its_code(string code, string part, params string[] arguments)
    {
        var error = Assert.Throws<OptionsException>(() => Configuration.Read(arguments, Variable));
        OptionError found = Assert.Single(error.Errors);
        Assert.Equal(code, found.Code);
        Assert.Contains(part, found.ToString(), StringComparison.Ordinal);
        Assert.Equal(4, found.ToString().Split(" | ").Length);
    }

    [Theory]
    [InlineData("""{ "stroe": "file:/x" }""", "IC-1001", "store")]
    [InlineData("""{ "store": ["file:/x"] }""", "IC-1002", "single value")]
    [InlineData("""[ 1 ]""", "IC-1006", "object")]
    [InlineData("""{ "store": """, "IC-1006", "not JSON")]
    public void A_mistake_in_the_file_names_the_file(string json, string code, string part)
    {
        File.WriteAllText(_folder["c.json"], json);
        var error = Assert.Throws<OptionsException>(() => Read("--instance-name=b", "--config", _folder["c.json"]));
        OptionError found = Assert.Single(error.Errors, found => found.Code == code);
        Assert.Contains(_folder["c.json"], found.Where, StringComparison.Ordinal);
        Assert.Contains(part, found.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("AMBROSIA_STROE", "AMBROSIA_STORE")]
    [InlineData("AMBROSIA_CLUSTRE", "AMBROSIA_CLUSTER")]
    [InlineData("AMBROSIA_INSTANCE-NAME", "AMBROSIA_INSTANCE_NAME")]
    [InlineData("AMBROSIA_BINDING_SOCKET", "AMBROSIA_SOCKET")]
    [InlineData("AMBROSIA_CONFG", "AMBROSIA_CONFIG")]
    [InlineData("ambrosia_storee", "AMBROSIA_STORE")]
    public void A_variable_that_is_almost_an_option_is_a_mistake_with_the_likely_name(string written, string meant)
    {
        _environment[written] = "file:/x";
        var error = Assert.Throws<OptionsException>(() => ReadAll("--instance-name=b"));
        Assert.Equal(
            $"IC-1001 '{written}' is not an option | environment | nothing was started or touched | did you mean {meant}? --help lists all",
            Assert.Single(error.Errors).ToString());
        _environment[written] = ""; // As if it were not there, as with every variable.
        Assert.Equal("b", ReadAll("--instance-name=b").InstanceName);
    }

    [Fact]
    public void Variables_of_other_programs_are_none_of_the_coordinators()
    {
        foreach (string name in (string[])["AMBROSIA_TEST_RUN", "AMBROSIA_E2E_SEED", "AMBROSIA_SHOP", "AMBROSIA_STO", "AMBROSIA_STOREHOUSE",
            "AMBROSIA_PORT_80_TCP_ADDR", "STROE", "AMBROSIA_"])
        {
            _environment.Add(name, "1");
        }

        Assert.Equal("b", ReadAll("--instance-name=b").InstanceName);
    }

    [Fact]
    public void All_mistakes_are_said_at_once()
    {
        var error = Assert.Throws<OptionsException>(() => Read("--nonsense", "--heartbeat", "soon", "--page-size", "big"));
        Assert.Equal(["IC-1001", "IC-1002", "IC-1002"], error.Errors.Select(found => found.Code));
    }

    [Fact]
    public void Every_option_round_trips_through_its_text_and_stands_in_the_help_with_its_default()
    {
        CoordinatorOptions filled = Read(
            "--instance-name=bank", "--receive-port=1", "--send-port=2", "--binding-address=127.0.0.1:3", "--binding-socket=/s",
            "--advertise=host:4", "--admin=unix:/a", "--admin-token-file=/m", "--peer-cert-file=/c", "--peer-key-file=/k",
            "--peer-trusted-ca-file=/t", "--no-log", "--owner-pipe", "--scratch=/x",
            "--dropped-outputs=/y", "--ingress=127.0.0.1:5", "--ingress-url=http://h/x", "--ingress-advertise=http://h",
            "--ingress-tokens=/i", "--ingress-jwt-issuer=i", "--ingress-jwt-audience=a", "--ingress-jwt-keys=/q",
            "--ingress-jwt-methods-claim=m", "--ingress-cert-file=/j",
            "--ingress-key-file=/l");
        var copy = new CoordinatorOptions();
        string help = HelpText.Render();
        foreach (OptionDefinition option in OptionDefinitions.All)
        {
            string text = option.Show(filled);
            Assert.Null(option.Apply(copy, text));
            Assert.Equal(text, option.Show(copy));
            Assert.Contains($"--{option.Name}", help, StringComparison.Ordinal);
            Assert.True(option.IsSwitch || (option.Help + HelpText.DefaultOf(option)) is var said
                && (said.Contains("Default:", StringComparison.Ordinal) || said.Contains("Required", StringComparison.Ordinal)));
        }

        Assert.Equal(OptionDefinitions.All.Count, typeof(CoordinatorOptions).GetProperties().Length);
        Assert.All(help.Split('\n'), line => Assert.True(line.Length <= 130, line));
    }

    [Theory]
    [InlineData("", "127.0.0.1:80", "/home/admin-tokens/bank")]
    [InlineData("", "unix:/a", "")]
    [InlineData("", "off", "")]
    [InlineData("/mine", "127.0.0.1:80", "/mine")]
    public void A_port_for_the_admin_address_has_a_token_of_its_own_and_a_Unix_socket_none(string given, string admin, string file)
    {
        _environment["AMBROSIA_HOME"] = "/home";
        _environment["AMBROSIA_ADMIN_TOKEN_FILE"] = given;
        Assert.Equal(file, Read("--instance-name=bank", "--admin", admin).AdminTokenFile);
    }

    [Fact]
    public void Help_and_version_need_nothing_else()
    {
        Assert.Equal(CommandLineAction.Help, Configuration.Read(["--help"], Variable).Action);
        Assert.Equal(CommandLineAction.Help, Configuration.Read(["-h"], Variable).Action);
        Assert.Equal(CommandLineAction.Version, Configuration.Read(["--version"], Variable).Action);
        Assert.Equal(CommandLineAction.PrintAdminToken, Configuration.Read(["--instance-name=b", "--print-admin-token"], Variable).Action);
        Assert.Equal(CommandLineAction.PrintConfig, Configuration.Read(["--instance-name=b", "--print-config"], Variable).Action);
    }

    private CoordinatorOptions Read(params string[] arguments) => Configuration.Read(arguments, Variable).Options;

    private CoordinatorOptions ReadAll(params string[] arguments) => Configuration.Read(arguments, Variable, _environment.Keys).Options;

    private string? Variable(string name) => _environment.GetValueOrDefault(name);
}
