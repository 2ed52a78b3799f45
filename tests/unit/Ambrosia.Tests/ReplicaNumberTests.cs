using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Tests;

public sealed class ReplicaNumberTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact] // It went round: the coordinator ended, was started again and ended, and its app knocked at the other one's.
    public async Task A_number_that_is_in_use_ends_the_command_and_says_who_has_it()
    {
        await _command.MakeInstanceAsync("bank");
        await using ILogStorage storage = LogStores.Open(
            _command.Store, "bank", new LogStoreOptions { Cluster = "default" }, new LogStoreEnvironment());
        await using ILogLease number = (await storage.AcquireNamedLeaseAsync(NamedLeases.Replica(1), wait: false, CancellationToken.None))!;

        (int code, string output, string error) = await _command.RunAsync(
            ["run", "bank", "--store", _command.Store, "--replica-id", "1", "--", Path.Combine(_command.Home, "no such app")]);

        Assert.Equal(75, code);
        Assert.StartsWith($"IC-3006 replica 1 of bank runs already: process {Environment.ProcessId} has its number", error,
            StringComparison.Ordinal);
        Assert.Contains("ambrosia status bank", error, StringComparison.Ordinal);
        Assert.Equal("", output); // Nothing was started.
    }

    [Theory] // It went round likewise, and "all are ready" was said of the other one's coordinators.
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_instance_that_runs_here_ends_the_command_and_says_who_serves_it(bool inFile)
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable held = await _command.LockAsync("bank");
        string socket = new DefaultPlaces(name => name is "AMBROSIA_HOME" or "XDG_RUNTIME_DIR" ? _command.Home : null)
            .BindingSocket(_command.Store, "bank");
        using UnixSocketGuard served = await UnixSocketGuard.TakeAsync(socket, members: null, TimeProvider.System, CancellationToken.None);
        string file = Path.Combine(_command.Home, "app.json");
        await File.WriteAllTextAsync(file, """{ "immortals": { "bank": { "program": ["no such app"] } } }""");

        string[] what = inFile ? ["run", "-f", file, "--store", _command.Store]
            : ["run", "bank", "--store", _command.Store, "--", Path.Combine(_command.Home, "no such app")];
        (int code, string output, string error) = await _command.RunAsync(what);

        Assert.Equal(75, code);
        Assert.StartsWith($"IC-1010 bank runs already: process {Environment.ProcessId} serves it at {socket}", error,
            StringComparison.Ordinal);
        Assert.Contains("ambrosia move bank", error, StringComparison.Ordinal);
        Assert.Equal("", output); // Nothing was started.
    }
}
