using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Who waits for the checkpointer to step back, and goes before it has, keeps neither its lease nor anybody else waiting.
/// </summary>
public sealed class CheckpointBarrierTests : IAsyncLifetime, IAsyncDisposable
{
    private static readonly VersionChange s_planned = new(Lsn.None, "", "");
    private readonly LogStoreEnvironment _disk = new();
    private readonly PendingMarks _pending = new(new CoreLimits());
    private readonly CoordinatorState _state = new("bank", static _ => throw new InvalidOperationException());
    private readonly DecisionLog _decisions;
    private readonly LogLines _lines = new();
    private bool _isLogged = true;
    private WriteAheadLog? _log;
    private WriteAheadLog? _other;
    private ILogLease? _held;

    public CheckpointBarrierTests() => _decisions = new DecisionLog(_pending, _state, hasReplicas: true, LogAll);

    private CheckpointBarrier Barrier => Within(TimeSpan.FromHours(1));

    private CheckpointBarrier Within(TimeSpan patience) => new(
        _log!, _decisions, patience, patience, TimeProvider.System, _lines, CancellationToken.None);

    public async Task InitializeAsync()
    {
        _log = await OpenAsync();
        _other = await OpenAsync();
        _held = await _other.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default);
    }

    Task IAsyncLifetime.DisposeAsync() => DisposeAsync().AsTask();

    public async ValueTask DisposeAsync()
    {
        await _other!.DisposeAsync();
        await _log!.DisposeAsync();
        await _state.DisposeAsync();
    }

    [Fact] // It would keep it for the life of the process, and no replica would make checkpoints.
    public async Task A_wait_that_ends_with_the_log_takes_no_lease_later()
    {
        _isLogged = false;
        Task<bool> begins = Barrier.BeginUpgradeAsync(s_planned).AsTask();
        _decisions.Abandon();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => begins.OrFail());
        await _held!.DisposeAsync();
        await Task.Delay(100); // For who would still wait.
        Assert.NotNull(await _other!.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
    }

    [Fact] // The next app was told for as long as the old one's wait that another one is attached.
    public async Task A_wait_ends_with_the_app_for_which_it_is()
    {
        CheckpointBarrier barrier = Barrier;
        Task<bool> begins = barrier.BeginUpgradeAsync(s_planned).AsTask();
        barrier.AbandonUpgrade();
        Assert.False(await begins.OrFail());
        await _held!.DisposeAsync();
        Assert.True(await barrier.BeginUpgradeAsync(s_planned).AsTask().OrFail()); // Of the next one.
        await barrier.EndUpgradeAsync();
        Assert.NotNull(await _other!.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
    }

    [Theory] // An app that is to be converted waits without an end: somebody has to end what stands still.
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task Who_does_not_step_back_is_named_unless_nobody_waits_any_more(bool isAbandoned, int lines)
    {
        CheckpointBarrier barrier = Within(TimeSpan.FromMilliseconds(100));
        Task<bool> begins = barrier.BeginUpgradeAsync(s_planned).AsTask();
        if (isAbandoned)
        {
            barrier.AbandonUpgrade();
        }

        Assert.False(await begins.OrFail());
        Assert.Equal(
            lines, _lines.All.Count(static line => line.Contains("has not stepped back within 0.1 s (", StringComparison.Ordinal)));
    }

    [Fact] // One may begin while another one's attempt is about to end.
    public async Task The_lease_is_kept_until_all_have_ended_who_have_begun()
    {
        await _held!.DisposeAsync();
        CheckpointBarrier barrier = Barrier;
        Assert.True(await barrier.BeginUpgradeAsync(s_planned).AsTask().OrFail());
        Assert.True(await barrier.BeginUpgradeAsync(s_planned).AsTask().OrFail());
        await barrier.EndUpgradeAsync();
        Assert.Null(await _other!.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
        await barrier.EndUpgradeAsync();
        Assert.NotNull(await _other!.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
    }

    [Fact] // No record is made that would say it.
    public async Task A_decision_that_comes_after_the_logs_end_is_not_waited_for()
    {
        _isLogged = false;
        _decisions.Abandon();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _decisions.LogAsync(s_planned).OrFail());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => _decisions.LogAsync(new BuildStep(Lsn.None, "new")).AsTask().OrFail());
    }

    private void LogAll()
    {
        if (_isLogged)
        {
            var page = new PageMarks();
            _pending.MoveTo(page);
            _decisions.BecameDurable(page);
        }
    }

    private async Task<WriteAheadLog> OpenAsync() =>
        await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk);
}
