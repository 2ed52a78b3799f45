using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.LogStore.Tests.Leases;

/// <summary>A service that refuses a renewal, because a password is just being changed or a token cannot be had, has not given the lease to
/// another.</summary>
public sealed class RenewedLeaseTests
{
    [Fact]
    public async Task A_holder_that_is_refused_asks_again_while_it_has_time()
    {
        await using var lease = new TriedLease(TimeSpan.FromSeconds(6), refusals: 2);
        await Poll.UntilAsync(() => lease.Asked > 2);
        Assert.False(lease.Lost.IsCancellationRequested);
        await lease.VerifyAsync();
    }

    [Fact]
    public async Task A_holder_that_is_refused_to_the_end_of_its_time_learns_that_it_has_lost_the_lease()
    {
        await using var lease = new TriedLease(TimeSpan.FromSeconds(1), refusals: int.MaxValue);
        await Poll.UntilAsync(() => lease.Lost.IsCancellationRequested);
        LeaseLostException error = await Assert.ThrowsAsync<LeaseLostException>(async () => await lease.VerifyAsync());
        Assert.Equal("IC-3005", error.Code);
    }

    private sealed class TriedLease : RenewedLease
    {
        private readonly int _refusals;
        private int _asked;

        public TriedLease(TimeSpan duration, int refusals)
            : this(new LogStoreEnvironment(), duration, refusals)
        {
        }

        private TriedLease(LogStoreEnvironment environment, TimeSpan duration, int refusals)
            : base(environment, "somewhere", "me", duration, environment.Time.GetTimestamp())
        {
            _refusals = refusals;
            Start("bank");
        }

        public int Asked => Volatile.Read(ref _asked);

        protected override ValueTask<bool> TryRenewAsync(bool isRepeated, CancellationToken cancellationToken) =>
            Interlocked.Increment(ref _asked) > _refusals
            ? new(true)
            : throw new LogStoreException(StoreErrors.StoreRefuses, "the service refuses", "somewhere", "nothing was changed", "wait");

        protected override ValueTask ReleaseAsync() => default;

        protected override ValueTask DisposeClientAsync() => default;
    }
}
