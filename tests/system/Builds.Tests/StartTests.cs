using Ambrosia.Builds.Tests.Support;
using Microsoft.CodeAnalysis;

namespace Ambrosia.Builds.Tests;

/// <summary>What a person or a supervisor says at a start, and what they see of a refusal: options, environment, exit codes.</summary>
public sealed class StartTests : IDisposable
{
    private readonly Workshop _shops = new();

    private string Folder => Path.Combine(_shops.Folder, "log");

    [Theory]
    [InlineData(false)]
    [InlineData(true)] // AMBROSIA_ACCEPT, with a coordinator of its own beside it.
    public void Accept_any_goes_on_with_what_differs_in_a_build_for_debugging(bool fromEnvironment)
    {
        LogOfFirst(fromEnvironment);
        string changed = _shops.Compile(Source.With(("return amount;", "return 10 * amount;")), "changed", OptimizationLevel.Debug);
        using ShopProcess shop = Start(changed, fromEnvironment, "any");
        Assert.True(shop.Until("primary") is not null, shop.Output);
        Assert.Contains("goes on where", shop.Output, StringComparison.Ordinal);
        Assert.Contains("count=30 ", shop.State(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Accept_any_is_refused_in_a_build_for_release_with_the_word_for_these_differences(bool fromEnvironment)
    {
        LogOfFirst(fromEnvironment);
        string changed = _shops.Compile(Source.With(("return amount;", "return 10 * amount;")), "changed");
        using ShopProcess shop = Start(changed, fromEnvironment, "any");
        Assert.True(shop.Until("primary") is null, shop.Output);
        Assert.Equal((int)AppExitCode.BuildRefused, shop.ExitCode);
        Assert.Contains("--accept any is for builds for debugging; this one may get --accept ", shop.Output, StringComparison.Ordinal);
        string word = shop.Output.Split("this one may get --accept ")[1][..6];
        using ShopProcess accepted = Start(changed, fromEnvironment, word);
        Assert.True(accepted.Until("primary") is not null, accepted.Output);
        Assert.Contains("count=30 ", accepted.State(), StringComparison.Ordinal);
    }

    [Fact]
    public void Under_dotnet_watch_other_code_is_executed_with_a_warning()
    {
        LogOfFirst();
        string changed = _shops.Compile(Source.With(("return amount;", "return 10 * amount;")), "changed", OptimizationLevel.Debug);
        using var shop = new ShopProcess(changed, Folder, variables: ("DOTNET_WATCH", "1"));
        Assert.True(shop.Until("primary") is not null, shop.Output);
        Assert.Contains("Warning: shop: dotnet watch: message ", shop.Output, StringComparison.Ordinal);
        Assert.Contains("count=30 ", shop.State(), StringComparison.Ordinal);
        shop.Kill();
        using var unwatched = new ShopProcess(changed, Folder); // What it executed, it has executed: it had its checkpoint before it acted.
        Assert.True(unwatched.Until("primary") is not null, unwatched.Output);
        Assert.Contains("count=30 ", unwatched.State(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("private int _spare = 5;", "")]
    [InlineData(" Add(int amount)", " More(int amount)")]
    public void Under_dotnet_watch_what_would_be_lost_is_refused_all_the_same(string old, string edited)
    {
        LogOfFirst();
        string changed = _shops.Compile(Source.With((old, edited)), "changed", OptimizationLevel.Debug);
        using var shop = new ShopProcess(changed, Folder, variables: ("DOTNET_WATCH", "1"));
        Assert.True(shop.Until("primary") is null, shop.Output);
        Assert.Equal((int)AppExitCode.BuildRefused, shop.ExitCode);
        Assert.Contains("lost: ", shop.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("return amount;", "return 10 * amount;", "IC-5005")]
    [InlineData("private int _spare = 5;", "", "IC-5005")]
    public void A_supervisor_sees_78_when_a_build_does_not_fit(string old, string edited, string code)
    {
        LogOfFirst(beside: true);
        using var shop = new ShopProcess(_shops.Compile(Source.With((old, edited)), "changed"), Folder, beside: true);
        Assert.True(shop.Until("primary") is null, shop.Output);
        Assert.Equal(78, shop.ExitCode);
        Assert.Contains(code, shop.Output, StringComparison.Ordinal);
    }

    // The build is the same, and what it does is not: the coordinator finds out, and the process that keeps the app running sees its code.
    [Fact]
    public void A_supervisor_sees_31_when_a_replay_sends_something_else()
    {
        string build = _shops.Compile(
            Source.With(("return DurableTask.CompletedTask;", "if (Environment.GetEnvironmentVariable(\"SHOP_TELLS\") == \"1\") "
                + "{ This.SayFork(); } return DurableTask.CompletedTask;")),
            "first");
        using (var shop = new ShopProcess(build, Folder, beside: true, variables: ("SHOP_TELLS", "1")))
        {
            Assert.True(shop.Until("primary") is not null, shop.Output);
            shop.Call("Add", "1");
            shop.Call("Add", "2");
            shop.Call("Count");
            shop.Kill();
        }

        using (var other = new ShopProcess(build, Folder, beside: true, variables: ("SHOP_TELLS", "0")))
        {
            Assert.True(other.Until("primary") is null, other.Output);
            Assert.Equal(31, other.ExitCode);
            Assert.Contains("IC-6001", other.Output, StringComparison.Ordinal);
        }

        using var same = new ShopProcess(build, Folder, beside: true, variables: ("SHOP_TELLS", "1")); // Nothing was harmed.
        Assert.True(same.Until("primary") is not null, same.Output);
        Assert.Contains("count=3 ", same.State(), StringComparison.Ordinal);
    }

    public void Dispose() => _shops.Dispose();

    private ShopProcess Start(string build, bool fromEnvironment, string accept) =>
        fromEnvironment ? new(build, Folder, beside: true, variables: ("AMBROSIA_ACCEPT", accept)) : new(build, Folder, accept);

    private void LogOfFirst(bool beside = false)
    {
        using var shop = new ShopProcess(_shops.Compile(Source.Text, "first", OptimizationLevel.Release), Folder, beside: beside);
        Assert.True(shop.Until("primary") is not null, shop.Output);
        shop.Call("Add", "1");
        shop.Call("Add", "2");
        shop.Kill();
    }
}
