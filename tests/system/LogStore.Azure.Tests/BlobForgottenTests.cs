using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>A service that was set back, with an emulator of its own: what it had confirmed and does not have any more is no failure that a
/// restart cures.</summary>
[Collection("azurite forgets")]
public sealed class BlobForgottenTests(Azurite azurite) : IAsyncLifetime
{
    private static readonly LogStoreOptions s_options = new() { LeaseDuration = TimeSpan.FromSeconds(60) };
    private readonly string _uri = azurite.NewBlobUri();
    private readonly RecordingFatal _fatal = new();
    private LogHarness? _writer;

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        if (_writer is not null)
        {
            await _writer.DisposeAsync(); // Before the emulator ends, or its lease would be asked for until it is over.
        }
    }

    [Fact]
    public async Task Records_that_the_service_has_forgotten_end_the_writer_for_good_and_are_named()
    {
        LogHarness writer = _writer = await StartAsync();
        await writer.AppendAsync([1], [2], [3]);
        await SetBackAsync(async () => await writer.AppendAsync([4], [5], [6], [7]));
        Task refused = writer.AppendAsync([8]);
        (int code, string line) = await _fatal.Died.WaitAsync(Patience.Time);
        Assert.Equal(40, code);
        Assert.StartsWith("IC-2036 the store has forgotten records that it had confirmed: LSN 4 to 7 | ", line, StringComparison.Ordinal);
        Assert.Contains("records up to LSN 3 are there", line, StringComparison.Ordinal);
        Assert.Contains("do not start again", line, StringComparison.Ordinal);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => refused);
        Assert.Equal(new Lsn(7), writer.Appender.DurableLsn);
    }

    [Fact]
    public async Task A_segment_that_the_service_has_forgotten_altogether_is_named_too()
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
        Task refused = _writer!.AppendAsync([4]);
        (int code, string line) = await _fatal.Died.WaitAsync(Patience.Time);
        Assert.True(code == 40, line); // It has forgotten the lease, too: that is not another's doing.
        Assert.StartsWith("IC-2036 the store has forgotten ", line, StringComparison.Ordinal);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => refused);
    }

    /// <summary>Does something of which the service, started again, knows nothing.</summary>
    private async Task SetBackAsync(Func<Task> action)
    {
        Func<Task> putBack = await azurite.StopAndCopyAsync();
        await azurite.StartAsync();
        await action();
        await azurite.KillAsync();
        await putBack();
        await azurite.StartAsync();
    }

    private async Task<LogHarness> StartAsync() =>
        await LogHarness.StartAsync(await LogStores.OpenLogAsync(_uri, "bank", s_options, AzureWorld.Environment(_fatal)));
}
