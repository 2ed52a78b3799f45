using Ambrosia.CodeGen.Tool;

namespace Ambrosia.CodeGen.Tests.Tool;

public sealed class ToolTests : IDisposable
{
    private const string Interface = """
        namespace Shop;

        [ImmortalInterface]
        public interface IShop
        {
            int Sell(Item item);
        }

        public record Item(string Name);
        """;

    private const string Line = "Shop.IShop 1587531422 Sell(Shop.Item) -> System.Int32";
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ambrosia-codegen-");

    private string Contract => Path.Combine(_folder.FullName, "ImmortalContracts.txt");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Generate_writes_the_files_and_leaves_unchanged_ones_alone()
    {
        string source = Write("IShop.cs", Interface);
        string target = Path.Combine(_folder.FullName, "Generated");

        (int code, string output, _) = await RunAsync("generate", source, "-o", target);
        Assert.Equal(0, code);
        Assert.Equal(2, Directory.GetFiles(target).Length);
        Assert.Contains("class ShopProxy", File.ReadAllText(Path.Combine(target, "Shop.IShop.g.cs")), StringComparison.Ordinal);
        Assert.Equal(2, output.Split("written  ").Length - 1);

        (code, output, _) = await RunAsync("generate", source, "-o", target);
        Assert.Equal(0, code);
        Assert.Equal(2, output.Split("unchanged").Length - 1);
    }

    [Fact]
    public async Task Generate_reads_assemblies()
    {
        string target = Path.Combine(_folder.FullName, "Generated");
        (int code, _, string errors) = await RunAsync("generate", typeof(ToolTests).Assembly.Location, "-o", target);
        Assert.Equal("", errors);
        Assert.Equal(0, code);
        Assert.Contains("class EverythingProxy",
            File.ReadAllText(Path.Combine(target, "Ambrosia.CodeGen.Tests.RoundTrip.IEverything.g.cs")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Files_from_an_assembly_are_those_from_its_source()
    {
        string target = Path.Combine(_folder.FullName, "Generated");
        string source = SourcePath();
        await RunAsync("generate", typeof(ToolTests).Assembly.Location, "-o", target);
        (int code, string output, string errors) = await RunAsync("generate", source, "-o", target);
        Assert.Equal("", errors);
        Assert.Equal(0, code);
        Assert.DoesNotContain("written", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interface_with_errors_is_reported_with_its_place_and_nothing_is_written()
    {
        string source = Write("IShop.cs", "[ImmortalInterface]\npublic interface IShop { void Sell(object item); }");
        string target = Path.Combine(_folder.FullName, "Generated");
        (int code, _, string errors) = await RunAsync("generate", source, "-o", target);
        Assert.Equal(1, code);
        Assert.Equal(
            $"{source}(2,43): error AMB010: Parameter 'item' of Sell cannot be sent: object could be anything; name the type, or list the "
            + $"possible ones with [Union] on a common base class\n",
            errors);
        Assert.False(Directory.Exists(target));
    }

    [Fact]
    public async Task A_missing_input_is_one_sentence()
    {
        (int code, _, string errors) = await RunAsync("generate", "missing.cs", "-o", _folder.FullName);
        Assert.Equal((2, "There is no file missing.cs.\n"), (code, errors));
    }

    [Fact]
    public async Task An_input_without_interfaces_is_one_sentence()
    {
        string source = Write("Empty.cs", "public class Empty;");
        (int code, _, string errors) = await RunAsync("generate", source, "-o", _folder.FullName);
        Assert.Equal((2, $"No interface in {source} has the attribute [ImmortalInterface].\n"), (code, errors));
    }

    [Fact]
    public async Task Inputs_of_different_kinds_are_refused()
    {
        (int code, _, string errors) = await RunAsync("generate", Write("a.cs", ""), Write("b.csproj", ""), "-o", _folder.FullName);
        Assert.Equal((2, "Name one project (.csproj), one assembly (.dll), or source files (.cs).\n"), (code, errors));
    }

    [Fact]
    public async Task Contract_is_written_beside_the_input_and_fits_from_then_on()
    {
        string source = Write("IShop.cs", Interface);
        Assert.Equal(0, (await RunAsync("contract", source)).Code);
        Assert.Equal([Line], File.ReadAllLines(Contract).Where(static l => !l.StartsWith('#')));
        Assert.Equal((0, $"{Contract} fits the code.\n", ""), await RunAsync("contract", source, "--check"));
    }

    [Fact]
    public async Task A_new_method_is_added_and_missed_by_check()
    {
        string source = Write("IShop.cs", Interface);
        Write("ImmortalContracts.txt", "");
        (int code, _, string errors) = await RunAsync("contract", source, "--check");
        Assert.Equal(1, code);
        Assert.Equal($"warning AMB023: IShop.Sell(Shop.Item) is not in the contract yet; build the project where AmbrosiaWriteContract is "
            + $"not false, or run 'ambrosia-codegen contract', and commit the line\n{Contract} does not fit the code.\n", errors);
        Assert.Equal(0, (await RunAsync("contract", source)).Code);
        Assert.Contains(Line, File.ReadAllLines(Contract));
    }

    [Fact]
    public async Task A_change_of_the_wire_is_written_only_with_force()
    {
        string source = Write("IShop.cs", Interface);
        Write("ImmortalContracts.txt", "Shop.IShop 5 Gone() -> void\n");
        (int code, _, string errors) = await RunAsync("contract", source);
        Assert.Equal(1, code);
        Assert.StartsWith($"{Contract}(1): error AMB020: The contract lists Gone() with id 5, but Shop.IShop has no such method;", errors,
            StringComparison.Ordinal);
        Assert.Equal("Shop.IShop 5 Gone() -> void\n", File.ReadAllText(Contract));

        Assert.Equal(0, (await RunAsync("contract", source, "--force")).Code);
        Assert.DoesNotContain("Gone", File.ReadAllText(Contract), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_shows_examples_and_exit_codes()
    {
        StringWriter output = new();
        int code = await CommandTree.Create(TextWriter.Null, TextWriter.Null).Parse(["--help"]).InvokeAsync(new() { Output = output });
        Assert.Equal(0, code);
        Assert.Contains("ambrosia-codegen generate src/Bank/Bank.csproj -o src/Bank/Generated", output.ToString(),
            StringComparison.Ordinal);
        Assert.Contains("Exit codes: 0 done", output.ToString(), StringComparison.Ordinal);
    }

    private static string SourcePath([System.Runtime.CompilerServices.CallerFilePath] string file = "") =>
        Path.Combine(Path.GetDirectoryName(file)!, "..", "RoundTrip", "Types.cs");

    private static async Task<(int Code, string Output, string Errors)> RunAsync(params string[] arguments)
    {
        StringWriter output = new() { NewLine = "\n" };
        StringWriter errors = new() { NewLine = "\n" };
        int code = await CommandTree.Create(output, errors).Parse(arguments).InvokeAsync();
        return (code, output.ToString(), errors.ToString());
    }

    private string Write(string name, string text)
    {
        string path = Path.Combine(_folder.FullName, name);
        File.WriteAllText(path, text);
        return path;
    }
}
