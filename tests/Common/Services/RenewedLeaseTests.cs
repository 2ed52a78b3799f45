using Ambrosia.LogStore;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Shared.Services;

namespace Ambrosia.Services;

/// <summary>A service that refuses a renewal, because a password is just being changed or a token cannot be had, or does not answer it, has not given the lease to another.</summary>
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

    [Fact]
    public async Task A_renewal_that_is_never_answered_leaves_time_for_another_one()
    {
        await using var lease = new TriedLease(TimeSpan.FromSeconds(6), silences: 1);
        await Poll.UntilAsync(() => lease.Asked > 2 || lease.Lost.IsCancellationRequested);
        Assert.False(lease.Lost.IsCancellationRequested);
        await lease.VerifyAsync();
    }

    [Fact]
    public async Task A_service_that_always_takes_long_to_answer_renews_the_lease()
    {
        await using var lease = new TriedLease(TimeSpan.FromSeconds(8), answersAfter: TimeSpan.FromSeconds(1.7));
        await Poll.UntilAsync(() => lease.Answered > 1 || lease.Lost.IsCancellationRequested);
        Assert.False(lease.Lost.IsCancellationRequested);
        await lease.VerifyAsync();
    }

    private sealed class TriedLease : RenewedLease
    {
        private readonly int _refusals;
        private readonly int _silences;
        private readonly TimeSpan _answersAfter;
        private int _asked;
        private int _answered;

        public TriedLease(TimeSpan duration, int refusals = 0, int silences = 0, TimeSpan answersAfter = default)
            : this(new LogStoreEnvironment(), duration, refusals, silences, answersAfter)
        {
        }

        private TriedLease(LogStoreEnvironment environment, TimeSpan duration, int refusals, int silences, TimeSpan answersAfter)
            : base(environment, "somewhere", "me", duration, environment.Time.GetTimestamp())
        {
            (_refusals, _silences, _answersAfter) = (refusals, silences, answersAfter);
            Start("bank");
        }

        public int Asked => Volatile.Read(ref _asked);

        public int Answered => Volatile.Read(ref _answered);

        protected override ValueTask<bool> TryRenewAsync(CancellationToken cancellationToken)
        {
            int asked = Interlocked.Increment(ref _asked);
            // Not even the end of the attempt ends it: so does a client that takes its time to give up.
            return asked <= _silences ? new(new TaskCompletionSource<bool>().Task)
                : asked > _refusals ? new(AnswerAsync(cancellationToken))
                : throw new LogStoreException("IC-2045", LogExitCode.NotUsable, "the service refuses", "somewhere", "nothing was changed", "wait");
        }

        private async Task<bool> AnswerAsync(CancellationToken cancellationToken)
        {
            await Task.Delay(_answersAfter, cancellationToken);
            Interlocked.Increment(ref _answered);
            return true;
        }

        protected override ValueTask ReleaseAsync() => default;

        protected override ValueTask DisposeClientAsync() => default;
    }
}
