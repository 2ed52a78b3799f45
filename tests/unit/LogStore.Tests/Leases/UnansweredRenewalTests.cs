using System.Collections.Concurrent;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests.Leases;

/// <summary>
/// A renewal that is not answered uses up a fifth of what the lease has left, and its answer counts whenever it comes. The lease here lasts
/// 30 s: it is renewed after 10 s, counted on for 27 s,
/// and a first attempt waits for 3.4 s, a second one for 2.72 s.
/// </summary>
public sealed class UnansweredRenewalTests
{
    private readonly SetClock _clock = new();

    [Fact]
    public async Task A_renewal_that_is_never_answered_leaves_time_for_another_one_over_a_new_connection()
    {
        await using var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        lease.Answer(1, true);
        await UntilAwaitedAsync(23.4); // A third after the second one was asked.
        Set(40.3);
        await lease.VerifyAsync();
        Assert.Equal([false, true], lease.Repetitions.Take(2));
    }

    [Fact]
    public async Task A_service_that_answers_only_after_an_attempts_time_renews_the_lease()
    {
        await using var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        lease.Answer(0, true);
        await Poll.UntilAsync(() => lease.Heard > 0);
        Set(16.12);
        await UntilAwaitedAsync(20); // A third after the first one was asked, which is the one that was answered.
        Set(20);
        await Poll.UntilAsync(() => lease.Repetitions.Count == 3);
        Assert.False(lease.Lost.IsCancellationRequested);
    }

    [Fact]
    public async Task A_yes_that_comes_late_counts_from_when_it_was_asked_for()
    {
        await using var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        lease.Answer(0, true);
        await Poll.UntilAsync(() => lease.Heard > 0);
        Set(16.12);
        await UntilAwaitedAsync(20);
        Set(36.9);
        await lease.VerifyAsync();
        Set(37.1);
        Assert.Equal("IC-3005", (await Assert.ThrowsAsync<LeaseLostException>(async () => await lease.VerifyAsync())).Code);
    }

    [Fact]
    public async Task A_late_yes_takes_nothing_from_a_later_request_that_was_answered_sooner()
    {
        await using var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        lease.Answer(1, true);
        await UntilAwaitedAsync(23.4);
        lease.Answer(0, true);
        await Poll.UntilAsync(() => lease.Heard > 1);
        Set(40.3);
        await lease.VerifyAsync();
    }

    [Fact]
    public async Task A_no_that_comes_late_ends_the_lease_though_a_later_request_was_answered_with_yes()
    {
        await using var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        lease.Answer(1, true);
        await UntilAwaitedAsync(23.4);
        lease.Answer(0, false);
        await Poll.UntilAsync(() => lease.Lost.IsCancellationRequested);
        Assert.Equal("IC-3001", (await Assert.ThrowsAsync<LeaseLostException>(async () => await lease.VerifyAsync())).Code);
    }

    [Fact]
    public async Task A_yes_that_comes_when_the_lease_is_over_brings_nothing_back()
    {
        await using var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        double now = 27.1;
        await Poll.UntilAsync(() =>
        {
            Set(now++); // Goes on: a third request may be asked just while the clock is set, and waits from there.
            return lease.Lost.IsCancellationRequested;
        });
        lease.Answer(1, true);
        await Poll.UntilAsync(() => lease.Heard > 0);
        Assert.Equal("IC-3005", (await Assert.ThrowsAsync<LeaseLostException>(async () => await lease.VerifyAsync())).Code);
    }

    [Fact]
    public async Task A_lease_that_is_given_back_waits_for_no_answer()
    {
        var lease = new AskedLease(_clock);
        await AskTwiceAsync(lease);
        await lease.DisposeAsync();
        Assert.True(lease.IsReleased);
    }

    private async Task AskTwiceAsync(AskedLease lease)
    {
        await UntilAwaitedAsync(10);
        Set(10);
        await Poll.UntilAsync(() => lease.Repetitions.Count == 1);
        await UntilAwaitedAsync(13.4);
        Set(13.4);
        await Poll.UntilAsync(() => lease.Repetitions.Count == 2);
        await UntilAwaitedAsync(16.12);
    }

    private Task UntilAwaitedAsync(double seconds) => Poll.UntilAsync(() => _clock.IsAwaited(TimeSpan.FromSeconds(seconds)));

    private void Set(double seconds) => _clock.SetTo(TimeSpan.FromSeconds(seconds));

    /// <summary>Of a service that answers when the test says so.</summary>
    private sealed class AskedLease : RenewedLease
    {
        private readonly ConcurrentDictionary<int, TaskCompletionSource<bool>> _answers = [];
        private int _asked;
        private int _heard;

        public AskedLease(SetClock clock)
            : this(new LogStoreEnvironment { Time = clock })
        {
        }

        private AskedLease(LogStoreEnvironment environment)
            : base(environment, "somewhere", "me", TimeSpan.FromSeconds(30), environment.Time.GetTimestamp()) => Start("bank");

        /// <summary>Of each request, whether it repeats one that brought nothing.</summary>
        public ConcurrentQueue<bool> Repetitions { get; } = [];

        /// <summary>Answers that came.</summary>
        public int Heard => Volatile.Read(ref _heard);

        public bool IsReleased { get; private set; }

        public void Answer(int request, bool yes) => AnswerTo(request).SetResult(yes);

        protected override async ValueTask<bool> TryRenewAsync(bool isRepeated, CancellationToken cancellationToken)
        {
            TaskCompletionSource<bool> answer = AnswerTo(_asked++);
            Repetitions.Enqueue(isRepeated);
            bool yes = await answer.Task;
            Interlocked.Increment(ref _heard);
            return yes;
        }

        protected override ValueTask ReleaseAsync()
        {
            IsReleased = true;
            return default;
        }

        protected override ValueTask DisposeClientAsync() => default;

        private TaskCompletionSource<bool> AnswerTo(int request) =>
            _answers.GetOrAdd(request, static _ => new(TaskCreationOptions.RunContinuationsAsynchronously));
    }
}
