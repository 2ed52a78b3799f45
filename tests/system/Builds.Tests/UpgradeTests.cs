using Ambrosia.Builds.Tests.Support;

namespace Ambrosia.Builds.Tests;

/// <summary>
/// An upgrade stands in the log with the build that executes what follows. A start whose replay crosses it, because the upgrade's
/// checkpoint is gone, compares with that build (docs/guide/builds.md, "Upgrades").
/// </summary>
public sealed class UpgradeTests : IDisposable
{
    private const string Next = """

        public sealed class Store : Base
        {
            private long _sum;
            public Store() { }
            public Store(Shop old) { _sum = 100 * old.Total; }
            public override DurableTask Add(int amount) { _sum += amount; return DurableTask.CompletedTask; }
            public override async DurableTask Place(Order order) { }
            public override async DurableTask Paint(Color color) { }
            public override async DurableTask Pay(Payment payment) { }
            public override async DurableTask<int> Count() { return (int)_sum; }
            public override async DurableTask Wait(int minutes) { }
            public override async DurableTask Save() { TakeCheckpoint(); }
            public override async DurableTask Say() { Door.Say($"sum={_sum}."); }
            protected override void BecomingPrimary(ImmortalContext context) { Door.Open(This); }
        }

        public static class Settings
        {
            public static void Configure(ImmortalOptions options)
            {
                options.UpgradeFrom((Shop old) => new Store(old));
                options.Upgrade = true;
            }
        }
        """;

    private readonly Workshop _shops = new();

    private static string Before => Source.With(("private int _count;", "private int _count; public int Total => _count;"));

    [Fact]
    public void The_same_build_executes_again_what_lies_after_an_upgrade_whose_checkpoint_is_gone()
    {
        (string store, string folder) = UpgradedWithoutItsCheckpoint();
        using var again = new ShopProcess(store, folder);
        Assert.True(again.Until("primary") is not null, again.Output);
        Assert.Contains("sum=305.", again.State(), StringComparison.Ordinal);
    }

    [Fact]
    public void Another_build_does_not_execute_again_what_lies_after_an_upgrade_whose_checkpoint_is_gone()
    {
        (_, string folder) = UpgradedWithoutItsCheckpoint();
        string changed = _shops.Compile(Before + Source.Replace(Next, ("_sum += amount;", "_sum += 2 * amount;")), "changed");
        string word;
        using (var refused = new ShopProcess(changed, folder))
        {
            Assert.True(refused.Until("primary") is null, refused.Output);
            Assert.Equal((int)AppExitCode.BuildRefused, refused.ExitCode);
            Assert.Contains("other code: message ", refused.Output, StringComparison.Ordinal);
            Assert.Contains("it lies after an upgrade to Shops.Store", refused.Output, StringComparison.Ordinal);
            word = refused.Output.Split("--accept ")[1][..6];
        }

        using (var accepted = new ShopProcess(changed, folder, $"000000, {word}"))
        {
            Assert.True(accepted.Until("primary") is not null, accepted.Output);
            Assert.Contains("sum=310.", accepted.State(), StringComparison.Ordinal);
            accepted.Kill();
        }

        using var again = new ShopProcess(changed, folder); // It had its checkpoint before it acted.
        Assert.True(again.Until("primary") is not null, again.Output);
        Assert.Contains("sum=310.", again.State(), StringComparison.Ordinal);
    }

    public void Dispose() => _shops.Dispose();

    // The shop has executed two messages, the store two more, and what remains is the checkpoint from before the upgrade.
    private (string Store, string Folder) UpgradedWithoutItsCheckpoint()
    {
        string shop = _shops.Compile(Before, "shop");
        _shops.Log("log", shop, saves: false, static first =>
        {
            first.Call("Add", "1");
            first.Call("Add", "2");
        });
        string folder = Path.Combine(_shops.Folder, "log");
        string store = _shops.Compile(Before + Next, "store");
        string[] before = Workshop.Checkpoints(folder);
        using (var second = new ShopProcess(store, folder))
        {
            Assert.True(second.Until("primary") is not null, second.Output);
            second.Call("Add", "5");
            second.Kill();
        }

        string[] made = [.. Workshop.Checkpoints(folder).Except(before)];
        Assert.NotEmpty(made);
        Array.ForEach(made, File.Delete);
        return (store, folder);
    }
}
