using System.Text;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What an app says that it answers to lies beside its log, for people, and is no condition of anything.</summary>
public sealed class ContractTests
{
    private const string First = "Shop.IBank 7 Deposit(System.Int32) -> System.Void\n";
    private const string Second = "Shop.IBank 7 PayIn(System.Int32) -> System.Void\n";

    private static readonly BindingHello s_hello = ScriptedApp.Hello with { Features = BindingFeatures.Contracts };

    [Fact]
    public async Task Each_contract_that_an_app_tells_is_kept_once_beside_its_log()
    {
        var disk = new MemoryFileSystem();
        await using CoreUnderTest core = await StartAsync(disk);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(s_hello);
        foreach (string text in new[] { First, Second, First })
        {
            await app.SayAsync(BindingMessageType.Contract, new BindingContract(text).Write);
        }

        await Within.Until(() => Kept(disk).Length == 2);
        await app.HearAsync(BindingMessageType.RecordInfo);
        Assert.Equal([First, Second], Kept(disk).Select(path => Encoding.UTF8.GetString(disk.ReadAll(path))).Order(StringComparer.Ordinal));
        Assert.All(Kept(disk), static path => Assert.EndsWith(".txt", path, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_contract_that_a_power_cut_left_empty_is_written_again()
    {
        var disk = new MemoryFileSystem();
        await using (CoreUnderTest core = await StartAsync(disk))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync(s_hello);
            await app.SayAsync(BindingMessageType.Contract, new BindingContract(First).Write);
            await Within.Until(() => Kept(disk).Length == 1);
        }

        await using (IFile file = await disk.OpenAsync(Kept(disk)[0], FileOpening.ReadWrite))
        {
            await file.TruncateAsync(0);
        }

        var options = new LogStoreOptions { Cluster = "default" };
        await using WriteAheadLog log =
            await LogStores.OpenLogAsync("file:/store", "bank", options, new LogStoreEnvironment { Files = disk });
        await log.KeepContractAsync(First);
        Assert.Equal(First, Encoding.UTF8.GetString(disk.ReadAll(Kept(disk)[0])));
    }

    [Fact]
    public async Task An_instance_goes_on_when_its_contract_cannot_be_kept()
    {
        var disk = new MemoryFileSystem { Faults = new NoRoomForContracts() };
        await using CoreUnderTest core = await StartAsync(disk);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(s_hello);
        await app.SayAsync(BindingMessageType.Contract, new BindingContract(First).Write);
        await app.HearAsync(BindingMessageType.RecordInfo);
        await app.DoneAsync(1);
        await Within.Until(() =>
            core.Lines.All.Any(static line => line.Contains("could not be kept beside its log", StringComparison.Ordinal)));
        Assert.True(core.Status.Snapshot().Ready);
        Assert.Empty(Kept(disk));
    }

    [Theory]
    [InlineData("IBank 7 Pay\u001b[31m() -> System.Void\n")]
    [InlineData("IBank 7 Pay()\r\n")]
    public void A_contract_that_would_act_on_a_terminal_is_not_valid(string text)
    {
        var data = new System.Buffers.ArrayBufferWriter<byte>();
        new BindingContract(text).Write(data);
        Assert.Throws<ProtocolException>(() => BindingContract.Read(data.WrittenSpan));
    }

    [Fact] // Only the log's own app tells: one that follows, or is replayed, is not asked.
    public async Task A_contract_before_the_app_acts_ends_its_session()
    {
        var disk = new MemoryFileSystem();
        await using CoreUnderTest core = await StartAsync(disk);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.StartFirstAsync(s_hello);
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await app.SayAsync(BindingMessageType.Contract, new BindingContract(First).Write);
            await app.HearAsync(BindingMessageType.Goodbye);
        });
        Assert.Empty(Kept(disk));
    }

    [Fact]
    public async Task The_shapes_that_the_acting_app_told_last_stay_when_it_leaves()
    {
        var disk = new MemoryFileSystem();
        BindingHello hello = s_hello with { Features = BindingFeatures.Shapes };
        await using CoreUnderTest core = await StartAsync(disk);
        Assert.Null(core.Core.Shapes.Text);
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync(hello);
            await app.SayAsync(BindingMessageType.Shapes, new BindingShapes("{}").Write);
            await app.SayAsync(BindingMessageType.Shapes, new BindingShapes("{\"interface\":\"A.B\"}").Write);
            await Within.Until(() => core.Core.Shapes.Text == "{\"interface\":\"A.B\"}");
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
        Assert.Equal("{\"interface\":\"A.B\"}", core.Core.Shapes.Text);
    }

    [Fact]
    public async Task Shapes_before_the_app_acts_end_its_session()
    {
        await using CoreUnderTest core = await StartAsync(new MemoryFileSystem());
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.StartFirstAsync(s_hello with { Features = BindingFeatures.Shapes });
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await app.SayAsync(BindingMessageType.Shapes, new BindingShapes("{}").Write);
            await app.HearAsync(BindingMessageType.Goodbye);
        });
        Assert.Null(core.Core.Shapes.Text);
    }

    private static Task<CoreUnderTest> StartAsync(MemoryFileSystem disk) =>
        CoreUnderTest.StartAsync(change: static options => options.Store = "file:/store", log: new LogStoreEnvironment { Files = disk });

    private static string[] Kept(MemoryFileSystem disk) =>
        [.. disk.AllFiles().Where(static path =>
            path.StartsWith("/store/bank/contracts/", StringComparison.Ordinal) && path.EndsWith(".txt", StringComparison.Ordinal))];

    private sealed class NoRoomForContracts : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call) => new(
            call.Kind == FileCallKind.Write && call.Path.Contains("/contracts/", StringComparison.Ordinal) ? new FileFault(Errno.ENOSPC)
            : FileFault.None);
    }
}
