using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Postgres.Tests;

/// <summary>A database that was set back, with a server of its own: what it had confirmed and does not have any more is no failure that a
/// restart cures.</summary>
public sealed class PostgresForgottenTests : IAsyncLifetime
{
    private static readonly LogStoreOptions s_options = new() { LeaseDuration = TimeSpan.FromSeconds(30) };
    private readonly PostgresServer _server = new();
    private readonly RecordingFatal _fatal = new();
    private LogHarness? _writer;

    public Task InitializeAsync() => _server.InitializeAsync();

    public async Task DisposeAsync()
    {
        if (_writer is not null)
        {
            await _writer.DisposeAsync(); // Before the server ends, or its lease would be asked for until it is over.
        }

        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Records_that_the_database_has_forgotten_end_the_writer_for_good_and_are_named()
    {
        _writer = await StartAsync();
        await _writer.AppendAsync([1], [2], [3]);
        await SetBackAsync(async () => await _writer.AppendAsync([4], [5], [6], [7]));
        await RequireForgottenAsync("IC-2036 the store has forgotten records that it had confirmed: LSN 4 to 7 | ");
        Assert.Equal(new Lsn(7), _writer.Appender.DurableLsn);
    }

    [Fact] // Of the writer itself the database knows nothing any more: that is not another's doing.
    public async Task A_database_that_has_forgotten_a_whole_life_is_not_taken_for_a_successor()
    {
        await using (LogHarness first = await StartAsync())
        {
            await first.AppendAsync([1]);
        }

        await SetBackAsync(async () =>
        {
            _writer = await StartAsync();
            await _writer.AppendAsync([2], [3]);
        });
        await RequireForgottenAsync("IC-2036 the store has forgotten ");
    }

    [Fact]
    public async Task A_writer_that_appends_nothing_learns_it_when_it_renews_its_lease()
    {
        await SetBackAsync(async () => _writer = await StartAsync(new LogStoreOptions { LeaseDuration = TimeSpan.FromSeconds(12) }));
        (int code, string line) = await _fatal.Died.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.True(code == 40, line);
        Assert.StartsWith("IC-2036 ", line, StringComparison.Ordinal);
    }

    private async Task RequireForgottenAsync(string expected)
    {
        Task refused = _writer!.AppendAsync([8]);
        (int code, string line) = await _fatal.Died.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.True(code == 40, line);
        Assert.StartsWith(expected, line, StringComparison.Ordinal);
        Assert.Contains("do not start again", line, StringComparison.Ordinal);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => refused);
    }

    /// <summary>Does something of which the server, started again, knows nothing.</summary>
    private async Task SetBackAsync(Func<Task> action)
    {
        Func<Task> putBack = await _server.StopAndCopyAsync();
        await _server.StartAsync();
        await action();
        await _server.StopAsync();
        await putBack();
        await _server.StartAsync();
    }

    private Task<LogHarness> StartAsync() => StartAsync(s_options);

    private async Task<LogHarness> StartAsync(LogStoreOptions options) =>
        await LogHarness.StartAsync(
            await LogStores.OpenLogAsync(_server.UriOf("forgotten"), "bank", options, PostgresWorld.Environment(_fatal)));
}
