using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Inspection.Text;

namespace Ambrosia.ImmortalCoordinator.Tests.Text;

public sealed class ToldContractTests : IDisposable
{
    private readonly TemporaryFolder _store = new();

    public void Dispose() => _store.Dispose();

    [Fact]
    public void Methods_have_the_names_that_apps_told_newest_first_and_a_contract_of_a_persons_own_before_them()
    {
        Tell("bank", "old.txt", "I 7 Old() -> void\nI 8 Eight() -> void\nI 9 Nine() -> void\n", age: 2);
        Tell("bank", "new.txt", "I 7 New() -> void\nI 9 NewNine() -> void\n", age: 1);
        File.WriteAllText(_store["bank/ImmortalContracts.txt"], "I 9 Own() -> void\n");
        var names = new MethodNames();
        names.AddContractsOf(_store["bank"]);
        Assert.Equal(["New", "Eight", "Own"], new[] { 7, 8, 9 }.Select(names.NameOf));
    }

    [Fact]
    public void Methods_of_the_instances_next_to_it_are_known_and_folders_without_a_log_are_not_looked_into()
    {
        Tell("bank", "a.txt", "I 7 Deposit() -> void\n", age: 1);
        Tell("shop", "a.txt", "I 5 Buy() -> void\nI 7 NotThis() -> void\n", age: 1);
        Tell("junk", "a.txt", "I 6 Junk() -> void\n", age: 1);
        Directory.Delete(_store["junk/log"]);
        var names = new MethodNames();
        names.AddContractsOf(_store["bank"]);
        Assert.Equal(["Buy", "6", "Deposit"], new[] { 5, 6, 7 }.Select(names.NameOf));
    }

    [Fact]
    public void A_process_that_goes_on_learns_the_names_of_an_app_that_came_later()
    {
        Directory.CreateDirectory(_store["bank/log"]);
        var live = new LiveMethodNames(_store["bank"], TimeProvider.System);
        Assert.Equal("7", live.Value.NameOf(7));
        Assert.Same(live.Value, live.Value);
        Tell("bank", "a.txt", "I 7 Deposit() -> void\n", age: 1);
        Assert.Equal("Deposit", live.Value.NameOf(7));
    }

    private void Tell(string instance, string name, string text, int age)
    {
        Directory.CreateDirectory(_store[$"{instance}/log"]);
        Directory.CreateDirectory(_store[$"{instance}/contracts"]);
        string path = _store[$"{instance}/contracts/{name}"];
        File.WriteAllText(path, text);
        File.SetLastWriteTimeUtc(path, new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddDays(-age));
    }
}
