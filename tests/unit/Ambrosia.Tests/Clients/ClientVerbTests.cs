using System.Runtime.CompilerServices;
using System.Text.Json.Nodes;
using Ambrosia.Tests;

namespace Ambrosia.Cli.Tests.Clients;

/// <summary><c>ambrosia client typescript</c>: what it writes, and where it writes nothing.</summary>
public sealed class ClientVerbTests : IDisposable
{
    private static readonly string s_golden = Path.Combine(Path.GetDirectoryName(ThisFile())!, "Golden");
    private readonly CommandFixture _command = new();

    // Compiled in tests/system/TypeScriptClient.
    private static string Document => Path.Combine(AppContext.BaseDirectory, "hard.openapi.json");

    private string Folder => Path.Combine(_command.Home, "package");

    public void Dispose() => _command.Dispose();

    [Theory]
    [InlineData("index.js")]
    [InlineData("index.d.ts")]
    [InlineData("package.json")]
    [InlineData("README.md")]
    public async Task A_package_of_hard_names_and_types_is_what_it_was(string file)
    {
        (int code, string output, string error) = await MakeAsync("--name", "@acme/shop");
        Assert.Equal(0, code);
        Assert.Contains("of @acme/shop into", output, StringComparison.Ordinal);
        Assert.Equal(["Paint.either: one of several types, which no member tells apart. Its type is 'unknown' in the package.",
            "Paint.strange: weird. Its type is 'unknown' in the package."], error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        string text = await File.ReadAllTextAsync(Path.Combine(Folder, file));
        string golden = Path.Combine(s_golden, file + ".txt");
        if (Environment.GetEnvironmentVariable("AMBROSIA_UPDATE_GOLDEN") is { Length: > 0 })
        {
            await File.WriteAllTextAsync(golden, text);
        }

        Assert.Equal(await File.ReadAllTextAsync(golden), text);
    }

    [Fact]
    public async Task A_package_that_was_made_here_is_made_again_and_keeps_its_name_and_version()
    {
        Assert.Equal(0, (await MakeAsync("--name", "shop", "--package-version", "2.1.0")).Code);
        await File.WriteAllTextAsync(Path.Combine(Folder, "index.js"), "old");
        Assert.Equal(65, (await MakeAsync("--check")).Code);
        Assert.Equal("old", await File.ReadAllTextAsync(Path.Combine(Folder, "index.js")));
        Assert.Equal(0, (await MakeAsync()).Code);
        Assert.Equal(0, (await MakeAsync("--check")).Code);
        JsonNode manifest = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(Folder, "package.json")))!;
        Assert.Equal(("shop", "2.1.0"), (manifest["name"]!.GetValue<string>(), manifest["version"]!.GetValue<string>()));
    }

    [Fact]
    public async Task What_somebody_has_added_to_the_manifest_and_a_readme_of_ones_own_stay()
    {
        Assert.Equal(0, (await MakeAsync("--name", "shop")).Code);
        string path = Path.Combine(Folder, "package.json");
        JsonObject manifest = JsonNode.Parse(await File.ReadAllTextAsync(path))!.AsObject();
        (manifest["private"], manifest["main"]) = (true, "./other.js");
        await File.WriteAllTextAsync(path, manifest.ToJsonString());
        string readme = Path.Combine(Folder, "README.md");
        await File.WriteAllTextAsync(readme, "# Ours");
        Assert.Equal(0, (await MakeAsync()).Code);
        JsonNode made = JsonNode.Parse(await File.ReadAllTextAsync(path))!;
        Assert.Equal((true, "./index.js"), (made["private"]!.GetValue<bool>(), made["main"]!.GetValue<string>()));
        Assert.Equal("# Ours", await File.ReadAllTextAsync(readme));
        Assert.Equal(0, (await MakeAsync("--check")).Code);
    }

    [Theory]
    [InlineData("our-shop", "our-shop")]
    [InlineData("Our Shop", "shop-client")] // Of the interface: npm takes no capitals and no spaces.
    public async Task A_package_is_called_as_its_folder_unless_it_is_told(string folder, string name)
    {
        string[] words = ["client", "typescript", "--from", Document, "--out", Path.Combine(_command.Home, folder)];
        Assert.Equal(0, (await _command.RunAsync(words)).Code);
        JsonNode manifest = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(_command.Home, folder, "package.json")))!;
        Assert.Equal((name, "0.1.0"), (manifest["name"]!.GetValue<string>(), manifest["version"]!.GetValue<string>()));
    }

    [Theory]
    [InlineData("package.json", "{\"name\":\"mine\"}")]
    [InlineData("package.json", "no JSON")]
    [InlineData("notes.txt", "mine")]
    public async Task A_folder_of_something_else_is_left_alone(string file, string text)
    {
        Directory.CreateDirectory(Folder);
        await File.WriteAllTextAsync(Path.Combine(Folder, file), text);
        (int code, _, string error) = await MakeAsync();
        Assert.Equal(75, code);
        Assert.Contains("Nothing was written", error, StringComparison.Ordinal);
        Assert.Equal([file], Directory.GetFiles(Folder).Select(Path.GetFileName));
        Assert.Equal(text, await File.ReadAllTextAsync(Path.Combine(Folder, file)));
        Assert.Equal(0, (await MakeAsync("--overwrite")).Code);
    }

    [Theory]
    [InlineData("Shop", null)]
    [InlineData("../shop", null)]
    [InlineData("shop client", null)]
    [InlineData(null, "1.2")]
    [InlineData(null, "v1.2.3")]
    public async Task Names_and_versions_that_npm_does_not_take_are_refused(string? name, string? version)
    {
        (int code, _, string error) = await MakeAsync(name is null ? ["--package-version", version!] : ["--name", name]);
        Assert.Equal(64, code);
        Assert.Contains("npm takes no such", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder));
    }

    [Theory]
    [InlineData("", "no file")]
    [InlineData("{", "Nothing was written")]
    [InlineData("[]", "no OpenAPI document of version 3.1")]
    [InlineData("{\"openapi\":\"3.0.0\"}", "no OpenAPI document of version 3.1")]
    [InlineData("{\"openapi\":\"3.1.0\"}", "none of an address for calls from outside")]
    [InlineData("{\"openapi\":\"3.1.0\",\"paths\":{\"/pets\":{}}}", "it offers no methods")]
    [InlineData("{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"x\"},\"paths\":{\"/v1/immortals/a/B\":{}}}", "none of an address")]
    [InlineData("""
        {"openapi":"3.1.0","info":{"title":"x"},"paths":{"/v1/immortals/a/B":{"post":{"requestBody":{"content":{"application/json":{"schema":
        {"properties":{"c":{"$ref":"#/components/schemas/Gone"}}}}}},"responses":{}}}},"components":{"schemas":{}}}
        """, "refers to the schema Gone, which is not there")]
    public async Task A_document_that_is_none_is_refused_with_a_sentence(string text, string expected)
    {
        string file = Path.Combine(_command.Home, "document.json");
        if (text.Length > 0)
        {
            await File.WriteAllTextAsync(file, text);
        }

        (int code, _, string error) = await _command.RunAsync(["client", "typescript", "--from", file, "--out", Folder]);
        Assert.Equal(text.Length > 0 ? 70 : 66, code);
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder));
    }

    [Theory]
    [InlineData(200, "secret", 0, "")]
    [InlineData(401, "", 70, "--token-file FILE")]
    [InlineData(401, "secret", 70, "none of the --ingress-tokens")]
    [InlineData(503, "", 69, "IC-7007: not yet")]
    [InlineData(404, "", 70, "/NAME.")]
    public async Task An_address_is_asked_for_its_document(int status, string token, int expected, string said)
    {
        string tokens = Path.Combine(_command.Home, "token");
        await File.WriteAllTextAsync(tokens, token + "\n");
        using var address = new OneAnswer(status, status == 200 ? await File.ReadAllTextAsync(Document)
            : """{"code":"IC-7007","detail":"not yet"}""");
        string[] words = ["client", "typescript", "--from", address.Address, "--output", Folder];
        (int code, _, string error) = await _command.RunAsync(token.Length > 0 ? [.. words, "--token-file", tokens] : words);
        Assert.Equal(expected, code);
        Assert.Contains(said, error, StringComparison.Ordinal);
        Assert.Equal($"/openapi.json {(token.Length > 0 ? $"Bearer {token}" : "")}", await address.Asked);
        Assert.Equal(status == 200, Directory.Exists(Folder));
    }

    [Fact]
    public async Task An_address_where_nobody_is_says_so()
    {
        (int code, _, string error) = await _command.RunAsync(
            ["client", "typescript", "--from", $"http://127.0.0.1:{FreePorts.One()}", "--output", Folder]);
        Assert.Equal(69, code);
        Assert.Contains("refused. Nothing was written", error, StringComparison.Ordinal);
        Assert.Contains("--ingress 127.0.0.1:", error, StringComparison.Ordinal);
    }

    private Task<(int Code, string Output, string Error)> MakeAsync(params string[] more) =>
        _command.RunAsync(["client", "typescript", "--from", Document, "--out", Folder, .. more]);

    private static string ThisFile([CallerFilePath] string path = "") => path;
}
