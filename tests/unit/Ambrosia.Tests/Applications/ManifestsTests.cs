using System.Text.Json;

namespace Ambrosia.Cli.Tests.Applications;

/// <summary>That Kubernetes understands what is made, its own tests check: tests/system/Kubernetes.</summary>
public sealed class ManifestsTests : IDisposable
{
    private const string Shop = """
        { "name": "shop",
          "immortals": {
            "orders": { "program": ["x"], "arguments": ["$(A) ${B}: \"c\""], "options": ["--segment-size=16MiB", "--no-log"], "ports": [8080], "image": "host:5000/orders:1.0" },
            "stock": { "program": ["x"], "environment": { "GREETING": "yes" }, "image": "stock@sha256:0123" } },
          "programs": { "web": { "program": ["x"], "image": "web:2" } } }
        """;

    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task Compose_gets_a_service_for_each_member_and_a_volume_for_each_immortal()
    {
        (int code, string text, string error) = await MakeAsync("compose", Shop);
        Assert.True(code == 0, error);
        Assert.Contains("\n  orders:\n    image: \"host:5000/orders:1.0\"\n    restart: unless-stopped\n", text, StringComparison.Ordinal);
        // Not put in by Compose, and one argument.
        Assert.Contains("command: [\"$$(A) $${B}: \\\"c\\\"\"]", text, StringComparison.Ordinal);
        Assert.Contains("\"AMBROSIA_SEGMENT_SIZE\": \"16MiB\"", text, StringComparison.Ordinal);
        Assert.Contains("\"AMBROSIA_NO_LOG\": \"true\"", text, StringComparison.Ordinal);
        Assert.Contains("\"GREETING\": \"yes\"", text, StringComparison.Ordinal);
        Assert.Contains("[\"chown\", \"10001:10001\", \"/volumes/orders\", \"/volumes/stock\"]", text, StringComparison.Ordinal);
        Assert.EndsWith("\nvolumes:\n  orders: {}\n  stock: {}\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Kubernetes_gets_a_folder_whose_files_are_written_over_only_when_told()
    {
        string folder = Path.Combine(_command.Home, "k8s");
        (int code, string said, string error) = await MakeAsync("kubernetes", Shop, "--output", folder);
        Assert.True(code == 0, error);
        Assert.Contains("files into " + folder, said, StringComparison.Ordinal);
        string whole = await File.ReadAllTextAsync(Path.Combine(folder, "kustomization.yaml"));
        Assert.Contains("  - orders\n  - stock\n  - web\n", whole, StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(folder, "base", "statefulset.yaml")));
        Assert.Contains("digest: \"sha256:0123\"", await File.ReadAllTextAsync(Path.Combine(folder, "stock", "kustomization.yaml")),
            StringComparison.Ordinal);

        Assert.Equal(0, (await MakeAsync("kubernetes", Shop, "--output", folder)).Code); // Nothing is different.
        string mine = Path.Combine(folder, "volume.yaml");
        await File.WriteAllTextAsync(mine, "# my own\n");
        (int refused, _, string why) = await MakeAsync("kubernetes", Shop, "--output", folder);
        Assert.Equal(75, refused);
        Assert.Contains(mine, why, StringComparison.Ordinal);
        Assert.Equal("# my own\n", await File.ReadAllTextAsync(mine));
        Assert.Equal(0, (await MakeAsync("kubernetes", Shop, "--output", folder, "--overwrite")).Code);
        Assert.NotEqual("# my own\n", await File.ReadAllTextAsync(mine));
    }

    [Fact]
    public async Task Json_holds_each_file_under_its_path()
    {
        (int code, string text, string error) = await MakeAsync("kubernetes", Shop, "--json");
        Assert.True(code == 0, error);
        Assert.Contains("secretName: orders-tls", JsonDocument.Parse(text).RootElement.GetProperty("orders/immortal.yaml").GetString(),
            StringComparison.Ordinal);
    }

    [Fact] // JSON would write halves of a character, which YAML refuses.
    public async Task Texts_are_those_of_yaml()
    {
        (int code, string text, string error) = await MakeAsync("compose", """
            { "name": "a", "programs": { "b": { "program": ["x"], "arguments": ["😀 \u0085\t\u2028"], "image": "b:1" } } }
            """);
        Assert.True(code == 0, error);
        Assert.Contains("command: [\"😀 \\u0085\\t\\u2028\"]", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("kubernetes", "base", "[80]", "programs.base needs another name: 'base' is the folder")]
    [InlineData("kubernetes", "immortal-stock", "[80]", "'immortal-stock' is the service of immortals.stock")]
    [InlineData("kubernetes", "front-stock", "[80]", "'front-stock' is a service of immortals.stock")]
    [InlineData("kubernetes", "true", "[80]", "'true' cannot be the name of a container")]
    [InlineData("compose", "ambrosia-volumes", "[80]", "'ambrosia-volumes' is the service that makes the volumes ready")]
    [InlineData("compose", "web", "[8080]", "immortals.stock and programs.web have port 8080, which this machine has once")]
    public async Task A_name_or_a_port_that_is_something_elses_is_refused(string kind, string name, string ports, string said)
    {
        string text = $$"""
            { "name": "a", "immortals": { "stock": { "program": ["x"], "ports": [9, 8080], "image": "s:1" } },
              "programs": { "{{name}}": { "program": ["x"], "ports": {{ports}}, "image": "p:1" } } }
            """;
        (int code, string output, string error) = await MakeAsync(kind, text);
        Assert.Equal((64, ""), (code, output));
        Assert.Contains(said, error, StringComparison.Ordinal);
        text = text.Replace(name, "other", StringComparison.Ordinal).Replace(ports, "[80]", StringComparison.Ordinal);
        Assert.Equal(0, (await MakeAsync(kind, text)).Code);
    }

    [Theory]
    [InlineData("\"image\": \"orders:1\"", "", "immortals.orders needs \"image\"")]
    [InlineData("orders:1", "orders", "immortals.orders.image: 'orders' names no version of an image")]
    [InlineData("orders:1", "host:5000/orders", "'host:5000/orders' names no version of an image")]
    [InlineData("\"a\"", "\"My.Shop\"", "\"name\": 'My.Shop' cannot name what runs in containers")]
    [InlineData("\"orders\"", "\"Orders\"", "'Orders' cannot be the name of a container")]
    [InlineData("\"options\": []", "\"options\": [\"segment-size=1\"]", "'segment-size=1' is no option")]
    [InlineData("\"replicas\": 1", "\"replicas\": 2", "replicas need a store that all their pods reach")]
    public async Task What_cannot_run_in_containers_is_refused(string part, string instead, string said)
    {
        const string Small =
            """{ "name": "a", "immortals": { "orders": { "program": ["x"], "options": [], "replicas": 1, "image": "orders:1" } } }""";
        string text = Small.Replace(part, instead, StringComparison.Ordinal).Replace(", }", " }", StringComparison.Ordinal)
            .Replace(",  }", " }", StringComparison.Ordinal);
        Assert.NotEqual(Small, text);
        (int code, string output, string error) = await MakeAsync("kubernetes", text);
        Assert.Equal((64, ""), (code, output));
        Assert.Contains(said, error, StringComparison.Ordinal);
    }

    private Task<(int Code, string Output, string Error)> MakeAsync(string kind, string text, params string[] more)
    {
        string file = Path.Combine(_command.Home, "app.json");
        File.WriteAllText(file, text);
        return _command.RunAsync(["manifests", kind, "-f", file, .. more]);
    }
}
