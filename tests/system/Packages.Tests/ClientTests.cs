using System.Net;
using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>"From C#" of docs/guide/calls-from-outside.md, word for word.</summary>
[Collection(OneNewcomer.Name)]
public sealed class ClientTests(Newcomer newcomer)
{
    private const string App = """
        using Ambrosia;

        await Immortal.RunAsync<Bank>(args);

        public sealed class Bank : BankBase
        {
            private decimal _all;

            public override DurableTask<decimal> Deposit(string account, decimal amount) => _all += amount;

            public override DurableTask<decimal> BalanceOf(string account) => _all;
        }
        """;

    [Fact]
    public async Task A_program_calls_an_immortal_by_its_generated_client()
    {
        string[] blocks = [.. Repository.Text("docs/guide/calls-from-outside.md").Split("## From C#\n")[1].Split("```")
            .Where(static (_, i) => i % 2 == 1)];
        string folder = Path.Combine(newcomer.Folder, "banks");
        string port = FreePorts.One().ToString(System.Globalization.CultureInfo.InvariantCulture);
        Write(folder, "Contracts/Contracts.csproj", Project("Library", Text(blocks[0], "xml")));
        Write(folder, "Contracts/IBank.cs", Text(blocks[1], "csharp"));
        Write(folder, "Bank/Bank.csproj", Project("Exe", Package("Ambrosia") + Contracts));
        Write(folder, "Bank/Program.cs", App);
        Write(folder, "Teller/Teller.csproj", Project("Exe", Contracts));
        Write(folder, "Teller/Program.cs", Text(blocks[2], "csharp").Replace("8080", port, StringComparison.Ordinal));
        await newcomer.SucceedAsync(folder, "dotnet build Bank -warnaserror");
        await newcomer.SucceedAsync(folder, "dotnet build Teller -warnaserror");
        Assert.False(Directory.Exists(Path.Combine(folder, "Teller/bin/Debug/net10.0/coordinator"))); // A client starts none.

        (string, string) ingress = ("AMBROSIA_INGRESS", $"127.0.0.1:{port}");
        Child bank = newcomer.Start(folder, "dotnet Bank/bin/Debug/net10.0/Bank.dll --instance-name bank", ingress);
        Assert.Equal("20", (await newcomer.SucceedAsync(folder, "dotnet Teller/bin/Debug/net10.0/Teller.dll")).Trim());
        Child.Kill(bank.Id);
        await bank.EndAsync();
        Child again = newcomer.Start(folder, "dotnet Bank/bin/Debug/net10.0/Bank.dll --instance-name bank", ingress);
        Assert.Equal("45", (await newcomer.SucceedAsync(folder, "dotnet Teller/bin/Debug/net10.0/Teller.dll")).Trim());
        Child.Stop(again.Id);
        await again.EndAsync();
    }

    private const string Contracts = """<ItemGroup><ProjectReference Include="../Contracts/Contracts.csproj" /></ItemGroup>""";

    private static string Package(string name) =>
        $"""<ItemGroup><PackageReference Include="{name}" Version="{Repository.Version}" /></ItemGroup>""";

    private static string Project(string kind, string items) => $"""
        <Project Sdk="Microsoft.NET.Sdk">
          <PropertyGroup>
            <OutputType>{kind}</OutputType>
            <TargetFramework>net10.0</TargetFramework>
            <Nullable>enable</Nullable>
            <ImplicitUsings>enable</ImplicitUsings>
          </PropertyGroup>
        {items}
        </Project>
        """;

    private static string Text(string block, string language)
    {
        Assert.StartsWith(language + "\n", block, StringComparison.Ordinal);
        return block[(language.Length + 1)..];
    }

    private static void Write(string folder, string path, string text)
    {
        string file = Path.Combine(folder, path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}
