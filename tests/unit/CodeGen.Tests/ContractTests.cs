using Ambrosia.CodeGen.Extract;
using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>The contract file: where its errors point to, and what the build adds to it.</summary>
public sealed class ContractTests
{
    private const string Interface = "[ImmortalInterface] public interface IShop\n{\n    void Sell();\n    void Buy();\n}";
    private const string Buy = "IShop 1743571060 Buy() -> void";
    private const string Sell = "IShop 1288605857 Sell() -> void";
    private static readonly (string, string) s_writing = ("AmbrosiaWriteContract", "true");

    [Fact]
    public async Task An_error_names_the_file_and_the_line_that_is_wrong() => Assert.Equal(
        ["ImmortalContracts.txt(3): AMB020", "ImmortalContracts.txt(5): AMB022", "ImmortalContracts.txt(6): AMB024"],
        await Analysis.PlacesAsync(Interface,
            $"# head\n{Buy}\nIShop 5 Gone() -> void\n\n{Sell.Replace("void", "System.Int32", StringComparison.Ordinal)}\n<<<<<<< mine\n"));

    [Fact]
    public async Task A_method_that_is_missing_is_reported_where_it_is_declared() =>
        Assert.Equal(["File1.cs(4): AMB023"], await Analysis.PlacesAsync(Interface, Sell));

    [Fact]
    public async Task A_method_that_is_missing_is_none_of_the_users_business_where_the_build_adds_it() =>
        Assert.Empty(await Analysis.RunAsync(Interface, Sell, s_writing));

    [Fact]
    public void The_build_is_handed_the_whole_contract() =>
        Assert.EndsWith($"// {Buy}\n// {Sell}\n", Generation.Contract(Interface, null, s_writing), StringComparison.Ordinal);

    [Theory]
    [InlineData("# mine\n\n" + Sell + "\n", "// # mine\n// \n// " + Buy + "\n// " + Sell + "\n")]
    [InlineData(Buy + "\n# of sales\nIShop 7 Old() -> void\n",
        "// " + Buy + "\n// # of sales\n// IShop 7 Old() -> void\n// " + Sell + "\n")]
    [InlineData("IAttic 7 Old() -> void\r\nIZoo 8 Feed() -> void\r\n",
        "// IAttic 7 Old() -> void\n// " + Buy + "\n// " + Sell + "\n// IZoo 8 Feed() -> void\n")]
    public void What_stands_in_the_contract_stays(string present, string expected) =>
        Assert.Equal(expected, Generation.Contract(Interface, present, s_writing));

    [Fact]
    public void A_contract_that_fits_is_handed_on_as_it_is()
    {
        string once = Generation.Contract(Interface, null, s_writing)!;
        string file = string.Concat(once.Split('\n').SkipLast(1).Select(static l => l[3..] + "\n"));
        Assert.Equal(once, Generation.Contract(Interface, file, s_writing));
    }

    [Fact]
    public void Nothing_is_handed_on_where_the_build_writes_nothing() => Assert.Null(Generation.Contract(Interface, null));

    [Fact]
    public void Nothing_is_handed_on_while_an_interface_has_errors() =>
        Assert.Null(Generation.Contract(Interface + " [ImmortalInterface] public interface IBroken { void Sell(object item); }", null,
            s_writing));

    [Theory]
    [InlineData("Sell()", 0)]
    [InlineData("Sell(System.Int32)", 1)]
    [InlineData("Sell(System.Int32[,],(System.Int32,System.String),A.B<C,D<E,F>>)", 3)]
    public void Parameters_of_a_signature_are_counted(string signature, int count) =>
        Assert.Equal(count, ContractFile.ParametersOf(signature));

    [Fact] // As AMB020 was followed by somebody who had added a parameter.
    public async Task An_id_does_not_go_to_a_method_with_more_parameters() => Assert.Equal(
        ["ImmortalContracts.txt(1): AMB027"],
        await Analysis.PlacesAsync(
            "[ImmortalInterface] public interface IShop { void Sell(); [MethodId(1743571060)] void Buy(int count); }",
            $"{Buy}\nIShop 1743571060 Buy(System.Int32) -> void\n{Sell}\n"));

    [Theory]
    [InlineData("/app/ImmortalContracts.txt", true)]
    [InlineData("C:\\app\\ImmortalContracts.txt", true)]
    [InlineData("ImmortalContracts.txt", true)]
    [InlineData("/app/OtherImmortalContracts.txt", false)]
    public void The_contract_is_known_by_its_name(string path, bool expected) => Assert.Equal(expected, ContractFile.IsContract(path));
}
