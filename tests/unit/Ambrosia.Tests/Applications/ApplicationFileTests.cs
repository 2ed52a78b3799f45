using Ambrosia.Cli.Applications;
using Ambrosia.Cli.Commands;

namespace Ambrosia.Cli.Tests.Applications;

public sealed class ApplicationFileTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public void The_file_of_the_sample_is_one()
    {
        Application shop = ApplicationFile.Read(Path.Combine(AppContext.BaseDirectory, "shop-app.json"));
        Assert.Equal(("shop", "orders warehouse", "web"), (shop.Name, string.Join(' ', shop.Immortals.Select(static each => each.Name)),
            string.Join(' ', shop.Programs.Select(static each => each.Name))));
    }

    [Fact]
    public void A_file_names_immortals_and_programs_with_paths_from_its_own_folder()
    {
        Application application = Read("""
            { // what belongs together
              "name": "shop",
              "immortals": {
                "orders": { "program": ["./Orders", "x"], "arguments": ["y"], "folder": "bin", "replicas": 3, "options": ["--segment-size=16MiB"],
                            "environment": { "A": "1" }, "ports": [80, 8080], "image": "orders:1" },
              },
              "programs": { "web": { "program": ["dotnet", "Web.dll"] } },
            }
            """);
        Assert.Equal("shop", application.Name);
        Member orders = Assert.Single(application.Immortals);
        string folder = Path.Combine(_command.Home, "bin");
        Assert.Equal([Path.Combine(folder, "Orders"), "x"], orders.Program);
        Assert.Equal(("orders", folder, 3, "orders:1"), (orders.Name, orders.Folder, orders.Replicas, orders.Image));
        Assert.Equal(["y"], orders.Arguments);
        Assert.Equal(["--segment-size=16MiB"], orders.Options);
        Assert.Equal([80, 8080], orders.Ports);
        Assert.Equal("1", orders.Environment["A"]);
        Member web = Assert.Single(application.Programs);
        Assert.Equal(["dotnet", "Web.dll"], web.Program);
        Assert.Equal((_command.Home, 1, ""), (web.Folder, web.Replicas, web.Image));
    }

    [Fact]
    public void Without_a_name_it_has_that_of_its_folder() =>
        Assert.Equal(Path.GetFileName(_command.Home), Read("""{ "programs": { "a": { "program": ["true"] } } }""").Name);

    [Theory]
    [InlineData("""{ "immortals": { "a": { "progam": ["x"] } } }""", "immortals.a.progam is no setting. Did you mean \"program\"?")]
    [InlineData("""{ "imortals": {} }""", "imortals is no setting. Did you mean \"immortals\"?")]
    [InlineData("""{ "programs": { "a": { "program": ["x"], "replicas": 2 } } }""", "programs.a.replicas is no setting.")]
    [InlineData("""{ "immortals": { "a": {} } }""", "immortals.a needs \"program\".")]
    [InlineData("""{ "immortals": { "a": { "program": [] } } }""", "immortals.a.program is empty")]
    [InlineData("""{ "immortals": { "a": { "program": "x" } } }""", "immortals.a.program is the text \"x\"; write a list")]
    [InlineData("""{ "immortals": { "a": { "program": ["x", 7] } } }""", "immortals.a.program[1] is the number 7; write a text")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "replicas": 101 } } }""", "write a whole number from 1 to 100")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "replicas": 0 } } }""", "write a whole number from 1 to 100")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "replicas": 1.5 } } }""", "write a whole number from 1 to 100")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "ports": [65536] } } }""", "write a whole number from 1 to 65535")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "environment": { "A=B": "1" } } } }""", "is not the name of a variable")]
    [InlineData("""{ "immortals": { "a": { "program": ["x\u0000y"] } } }""", "holds a zero character")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "environment": { "A": "1", "A": "2" } } } }""",
        "immortals.a.environment.A stands there twice")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"], "ports": [80, 81, 80] } } }""", "immortals.a.ports name one twice")]
    [InlineData("""{ "name": "\ud83d", "programs": { "a": { "program": ["x"] } } }""", "name holds half a character")]
    [InlineData("""{ "\ude00": "x" }""", "it holds half a character")]
    [InlineData("""{ "immortals": { "a": { "program": ["x", "\ud83dy"] } } }""", "immortals.a.program[1] holds half a character")]
    [InlineData("""{ "immortals": { "a": { "program": "\ud83d" } } }""", "immortals.a.program is the text \"\\ud83d\"; write a list")]
    [InlineData("""{ "immortals": { "a b": { "program": ["x"] } } }""", "immortals.a b is not a name")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"] }, "a": { "program": ["x"] } } }""", "'a' is the name of two members")]
    [InlineData("""{ "immortals": { "a": { "program": ["x"] } }, "programs": { "a": { "program": ["x"] } } }""",
        "'a' is the name of two members")]
    [InlineData("""{ "name": "x", "name": "y" }""", "name stands there twice")]
    [InlineData("""{ }""", "it names nothing to run")]
    [InlineData("""[ ]""", "it is a list; write an object")]
    [InlineData("{\n  \"immortals\": {,\n}", "line 2, column 17: this is not JSON")]
    public void What_is_wrong_is_said_with_its_place(string text, string said)
    {
        CommandException failure = Assert.Throws<CommandException>(() => Read(text));
        Assert.Contains(said, failure.Message, StringComparison.Ordinal);
        Assert.StartsWith(_command.Home, failure.Message, StringComparison.Ordinal);
        Assert.Equal(CommandExit.Usage, failure.Code);
    }

    [Fact]
    public async Task A_file_that_is_not_there_is_told_with_an_example()
    {
        (int code, string output, string error) = await _command.RunAsync(["run", "-f", Path.Combine(_command.Home, "none.json")]);
        Assert.Equal((66, ""), (code, output));
        Assert.Contains("none.json", error, StringComparison.Ordinal);
        Assert.Contains("""{ "immortals": {""", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("run bank", "'ambrosia run' needs <program>: The app and its arguments, after --.")]
    [InlineData("run -f app.json bank", "--file names everything that runs: no instance or program stands beside it.")]
    [InlineData("run -f app.json --replica-id 1", "--replica-id and --coordinator-option belong into the file")]
    public async Task A_file_and_a_name_are_not_mixed(string line, string said)
    {
        (int code, _, string error) = await _command.RunAsync(line);
        Assert.Equal(64, code);
        Assert.Contains(said, error, StringComparison.Ordinal);
    }

    private Application Read(string text)
    {
        string file = Path.Combine(_command.Home, "app.json");
        File.WriteAllText(file, text);
        return ApplicationFile.Read(file);
    }
}
