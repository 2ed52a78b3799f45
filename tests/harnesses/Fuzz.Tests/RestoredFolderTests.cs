using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Fuzz.Tests.Rot;
using Ambrosia.Fuzz.Tests.Sessions;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests;

/// <summary>An older copy of a whole folder fits together; what it lacks is known to peers. Two real cores on real files: till sends a fork
/// to bank for each message that it gets.</summary>
public sealed class RestoredFolderTests : IAsyncLifetime
{
    private readonly Places _places = new();
    private readonly MemoryNetwork _network = new(new MemoryNetworkOptions());
    private readonly ICatalog _catalog = Catalogs.Open("memory:catalog", new LogStoreEnvironment());
    private readonly List<IConnection> _dialled = [];
    private ulong _generation;
    private ulong _sent;

    [Fact]
    public async Task A_receiver_that_was_rolled_back_is_told_and_gets_nothing_until_it_is_restored()
    {
        string till = _places.New(), bank = _places.New(), older = _places.New();
        await using FileNode sender = await FileNode.StartAsync("till", till, _network, _catalog, talksTo: "bank");
        await using (FileNode receiver = await FileNode.StartAsync("bank", bank, _network, _catalog))
        {
            await SendToTillAsync(3);
            await receiver.UntilAsync(() => receiver.App!.Messages == 5); // The initial ones of till's log and its own, and three.
        }

        Copy(bank, older);
        await using (FileNode receiver = await FileNode.StartAsync("bank", bank, _network, _catalog))
        {
            await SendToTillAsync(4);
            await receiver.UntilAsync(() => receiver.App!.Messages == 9);
        }

        await using (FileNode receiver = await FileNode.StartAsync("bank", older, _network, _catalog))
        {
            await SendToTillAsync(1);
            await sender.UntilAsync(() => sender.Logger.Lines.Any(static line =>
                line.Contains("IC-2020", StringComparison.Ordinal) && line.Contains("bank", StringComparison.Ordinal)));
            await receiver.UntilAsync(() => receiver.Logger.Lines.Any(static line => line.Contains("IC-2020", StringComparison.Ordinal)));
            Assert.False(sender.Running.IsCompleted || receiver.Running.IsCompleted, "both serve whom they can");
            Assert.Equal(5, receiver.App!.Messages);
        }

        // The newest folder comes back, and with it everything.
        await using (FileNode receiver = await FileNode.StartAsync("bank", bank, _network, _catalog))
        {
            await receiver.UntilAsync(() => receiver.App!.Messages == 10);
        }
    }

    [Fact]
    public async Task A_sender_that_was_rolled_back_stops_before_it_gives_old_numbers_to_new_messages()
    {
        string till = _places.New(), bank = _places.New(), older = _places.New();
        await using FileNode receiver = await FileNode.StartAsync("bank", bank, _network, _catalog);
        await using (FileNode sender = await FileNode.StartAsync("till", till, _network, _catalog, talksTo: "bank"))
        {
            await SendToTillAsync(3);
            await receiver.UntilAsync(() => receiver.App!.Messages == 5);
        }

        Copy(till, older);
        await using (FileNode sender = await FileNode.StartAsync("till", till, _network, _catalog, talksTo: "bank"))
        {
            await SendToTillAsync(4);
            await receiver.UntilAsync(() => receiver.App!.Messages == 9);
        }

        // The copy opens the epoch that the lost life had; only the counts can tell.
        await using (FileNode sender = await FileNode.StartAsync("till", older, _network, _catalog, talksTo: "bank"))
        {
            _sent = 3;
            await SendToTillAsync(6, mayEnd: true);
            await sender.UntilAsync(() => sender.Running.IsCompleted);
            CoordinatorException stopped = await Assert.ThrowsAsync<CoordinatorException>(() => sender.Running);
            Assert.Equal(("IC-6002", ExitCode.Diverged), (stopped.Code, stopped.ExitCode));
            Assert.Contains("till: replay sent 4 messages to bank, which has logged 8", stopped.Message, StringComparison.Ordinal);
            Assert.Contains("restore the newest", stopped.Message, StringComparison.Ordinal);
        }

        Assert.Equal(9, receiver.App!.Messages);
    }

    [Fact]
    public async Task A_sender_two_lives_behind_is_fenced()
    {
        string till = _places.New(), bank = _places.New(), older = _places.New();
        await using FileNode receiver = await FileNode.StartAsync("bank", bank, _network, _catalog);
        await using (FileNode sender = await FileNode.StartAsync("till", till, _network, _catalog, talksTo: "bank"))
        {
            await SendToTillAsync(1);
            await receiver.UntilAsync(() => receiver.App!.Messages == 3);
        }

        Copy(till, older);
        for (int life = 0; life < 2; life++)
        {
            await using FileNode sender = await FileNode.StartAsync("till", till, _network, _catalog, talksTo: "bank");
            await SendToTillAsync(1);
            await receiver.UntilAsync(() => receiver.App!.Messages == 4 + life);
        }

        await using (FileNode sender = await FileNode.StartAsync("till", older, _network, _catalog, talksTo: "bank"))
        {
            _sent = 1;
            await SendToTillAsync(1, mayEnd: true);
            await sender.UntilAsync(() => sender.Running.IsCompleted);
            CoordinatorException stopped = await Assert.ThrowsAsync<CoordinatorException>(() => sender.Running);
            Assert.Equal(("IC-3001", ExitCode.LeaseLost), (stopped.Code, stopped.ExitCode));
        }
    }

    [Fact]
    public async Task Logs_that_fit_together_say_so_and_an_older_copy_of_either_is_found_without_starting_anything()
    {
        string till = _places.New(), bank = _places.New(), olderTill = _places.New(), olderBank = _places.New();
        await ExchangeAsync(till, bank, 3);
        Copy(till, olderTill);
        Copy(bank, olderBank);
        await ExchangeAsync(till, bank, 4);
        await ExchangeAsync(till, bank, 4);
        Assert.Empty(await LacksAsync("bank", bank, "till", till));
        Assert.Empty(await LacksAsync("till", till, "bank", bank));
        Assert.Empty(await LacksAsync("bank", olderBank, "till", olderTill)); // Of one instant.
        Assert.Empty(await LacksAsync("till", olderTill, "bank", olderBank));
        Assert.StartsWith("IC-2020 bank had confirmed message ", Assert.Single(await LacksAsync("bank", olderBank, "till", till)),
            StringComparison.Ordinal);
        Assert.StartsWith("IC-3001 bank has logged messages of epoch 3 of till",
            Assert.Single(await LacksAsync("till", olderTill, "bank", bank)), StringComparison.Ordinal);
    }

    /// <summary>One life of both, in which till sends bank as many messages as it gets.</summary>
    private async Task ExchangeAsync(string till, string bank, int count)
    {
        await using FileNode sender = await FileNode.StartAsync("till", till, _network, _catalog, talksTo: "bank");
        await using FileNode receiver = await FileNode.StartAsync("bank", bank, _network, _catalog);
        ulong expected = _sent + (ulong)count + 2; // And the initial ones of both logs.
        await sender.UntilAsync(() => sender.IsIdle); // What the last life sent is confirmed: the next record says so.
        await SendToTillAsync(count);
        await receiver.UntilAsync(() => receiver.App!.Messages == (int)expected);
    }

    private static async Task<string[]> LacksAsync(string instance, string folder, string peer, string peerFolder)
    {
        LoggedWatermarks beside = await ReadAsync(peer, peerFolder);
        LoggedWatermarks own = await ReadAsync(instance, folder);
        Assert.Contains(peer, own.Peers);
        return [.. own.LacksBeside(beside)];
    }

    private static async Task<LoggedWatermarks> ReadAsync(string instance, string folder)
    {
        await using WriteAheadLog log = await LogView.OpenFolderAsync(Path.Combine(folder, instance), new LogStoreEnvironment());
        return await LoggedWatermarks.ReadAsync(log);
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        foreach (IConnection connection in _dialled)
        {
            await connection.DisposeAsync();
        }

        await _catalog.DisposeAsync();
        _places.Dispose();
    }

    /// <summary>A third instance, shop, gives till messages to execute, one record each, and waits for each to be durable.</summary>
    private async Task SendToTillAsync(int count, bool mayEnd = false)
    {
        try
        {
            await using GoodPeer shop = await GoodPeer.ConnectAsync(_network, "till", ++_generation);
            Assert.Equal(_sent, shop.Sent);
            for (int i = 0; i < count; i++)
            {
                await shop.SendAsync();
            }

            _sent = shop.Sent;
        }
        catch (Exception error) when (mayEnd && error is IOException)
        {
            // It has stopped, as it must.
        }
    }

    private static void Copy(string from, string to)
    {
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
    }
}
