using System.Text.Json.Nodes;
using Ambrosia.Tests;

namespace Ambrosia.Cli.Tests.Clients;

/// <summary><c>ambrosia client proto</c>: what it writes, and where it writes nothing.</summary>
public sealed class ProtoClientTests : IDisposable
{
    private const string Service = "ambrosia/apps/shop/shop/service.proto";
    private readonly CommandFixture _command = new();

    // What the address of the tests of ingress serves at /service.proto, which protoc has read there.
    private static string Document => Path.Combine(AppContext.BaseDirectory, "shop.proto");

    private string Folder => Path.Combine(_command.Home, "protos");

    private string Made => Path.Combine(Folder, Service);

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task The_file_lies_where_its_package_says_and_is_what_was_published()
    {
        (int code, string output, string error) = await MakeAsync();
        Assert.Equal((0, ""), (code, error));
        Assert.Contains($"Wrote {Service} with 5 methods into {Folder}. Next: ", output, StringComparison.Ordinal);
        Assert.Equal(await File.ReadAllTextAsync(Document), await File.ReadAllTextAsync(Made));
        Assert.Equal([Made], Directory.GetFiles(Folder, "*", SearchOption.AllDirectories));
    }

    [Fact]
    public async Task Machines_are_told_the_file_its_service_and_its_methods()
    {
        JsonNode told = JsonNode.Parse((await MakeAsync("--json")).Output)!;
        Assert.Equal((Folder, Service, "ambrosia.apps.shop.shop.Shop"),
            (told["folder"]!.GetValue<string>(), told["file"]!.GetValue<string>(), told["service"]!.GetValue<string>()));
        Assert.Equal(["Order", "AddByNumber", "AddByText", "Paint", "PriceOf"],
            told["methods"]!.AsArray().Select(static each => each!.GetValue<string>()));
        Assert.Equal("""{"differs":[]}""", Without("folder", (await MakeAsync("--check", "--json")).Output));
    }

    [Fact]
    public async Task A_file_that_was_made_here_is_made_again_and_others_beside_it_stay()
    {
        Assert.Equal(65, (await MakeAsync("--check")).Code);
        Assert.False(Directory.Exists(Folder));
        Assert.Equal(0, (await MakeAsync()).Code);
        string text = await File.ReadAllTextAsync(Made);
        await File.WriteAllTextAsync(Made, text.Replace("optional int32", "int32", StringComparison.Ordinal));
        await File.WriteAllTextAsync(Path.Combine(Folder, "ours.proto"), "mine");
        (int code, string output, _) = await MakeAsync("--check");
        Assert.Equal(65, code);
        Assert.Contains(Service, output, StringComparison.Ordinal);
        Assert.Equal(0, (await MakeAsync()).Code);
        Assert.Equal(text, await File.ReadAllTextAsync(Made));
        Assert.Equal("mine", await File.ReadAllTextAsync(Path.Combine(Folder, "ours.proto")));
        Assert.Equal(0, (await MakeAsync("--check")).Code);
    }

    [Fact]
    public async Task A_file_of_something_else_is_left_alone()
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Made)!);
        await File.WriteAllTextAsync(Made, "syntax = \"proto3\";\npackage mine;\n");
        (int code, _, string error) = await MakeAsync();
        Assert.Equal(75, code);
        Assert.Contains("Nothing was written", error, StringComparison.Ordinal);
        Assert.StartsWith("syntax = \"proto3\";\npackage mine;", await File.ReadAllTextAsync(Made), StringComparison.Ordinal);
        Assert.Equal(0, (await MakeAsync("--overwrite")).Code);
    }

    [Theory]
    [InlineData("", "no file", 66)]
    [InlineData("{}", "no typed service", 70)]
    [InlineData("syntax = \"proto3\";\n\npackage ambrosia.apps.shop;\n", "no typed service", 70)]
    [InlineData("syntax = \"proto3\";\n\npackage google.shop;\n\nservice Shop {\n  rpc A (B) returns (C);\n}\n", "no typed service", 70)]
    [InlineData("syntax = \"proto3\";\n\npackage ambrosia.apps.../../etc;\n\nservice Shop {\n  rpc A (B) returns (C);\n}\n",
        "no typed service", 70)] // It would lead out of the folder.
    [InlineData("syntax = \"proto3\";\n\npackage ambrosia.apps.shop;\n\nservice Shop {\n  // Any is missing: it takes any. So.\n}\n",
        "offers no methods", 70)]
    public async Task A_document_that_is_none_is_refused_with_a_sentence(string text, string expected, int exit)
    {
        string file = Path.Combine(_command.Home, "service.proto");
        if (text.Length > 0)
        {
            await File.WriteAllTextAsync(file, text);
        }

        (int code, _, string error) = await _command.RunAsync(["client", "proto", "--from", file, "--out", Folder]);
        Assert.Equal(exit, code);
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder));
    }

    [Fact]
    public async Task What_has_no_place_in_the_service_is_told()
    {
        string file = Path.Combine(_command.Home, "service.proto");
        string text = await File.ReadAllTextAsync(Document);
        const string Missing = "  // Guess is missing: a value may be of any type. ambrosia.v1.Ingress calls it.\n";
        await File.WriteAllTextAsync(file, text.Replace("  }\n}\n", $"  }}\n{Missing}}}\n", StringComparison.Ordinal));
        (int code, _, string error) = await _command.RunAsync(["client", "proto", "--from", file, "--out", Folder]);
        Assert.Equal(0, code);
        Assert.Contains("Guess is missing: a value may be of any type.", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", 200, "secret", 0, "")]
    [InlineData("/Shop", 200, "", 0, "")] // An instance behind a gateway.
    [InlineData("", 401, "", 70, "--token-file FILE")]
    [InlineData("", 503, "", 69, "IC-7007: not yet")]
    [InlineData("", 404, "", 70, "/NAME.")]
    public async Task An_address_is_asked_for_its_service(string path, int status, string token, int expected, string said)
    {
        string tokens = Path.Combine(_command.Home, "token");
        await File.WriteAllTextAsync(tokens, token + "\n");
        using var address = new OneAnswer(status, status == 200 ? await File.ReadAllTextAsync(Document)
            : """{"code":"IC-7007","detail":"not yet"}""");
        string[] words = ["client", "proto", "--from", address.Address + path, "--output", Folder];
        (int code, _, string error) = await _command.RunAsync(token.Length > 0 ? [.. words, "--token-file", tokens] : words);
        Assert.Equal(expected, code);
        Assert.Contains(said, error, StringComparison.Ordinal);
        Assert.Equal($"{path}/service.proto {(token.Length > 0 ? $"Bearer {token}" : "")}", await address.Asked);
        Assert.Equal(status == 200, File.Exists(Made));
    }

    private static string Without(string member, string json)
    {
        JsonObject told = JsonNode.Parse(json)!.AsObject();
        told.Remove(member);
        return told.ToJsonString();
    }

    private Task<(int Code, string Output, string Error)> MakeAsync(params string[] more) =>
        _command.RunAsync(["client", "proto", "--from", Document, "--out", Folder, .. more]);
}
