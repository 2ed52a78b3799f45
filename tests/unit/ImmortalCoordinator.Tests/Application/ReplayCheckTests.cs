using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Application;

/// <summary>What is compared of a replay, and how much is held for it.</summary>
public sealed class ReplayCheckTests
{
    private static readonly byte[] s_a = [10, 0, 0, 2, 1, 7]; // A fork of method 1 with one byte.
    private static readonly byte[] s_b = [10, 0, 0, 2, 1, 8];
    private readonly List<ulong> _differed = [];

    [Fact]
    public void A_replay_of_what_no_record_tells_holds_a_bounded_number_of_digests()
    {
        var limits = new CoreLimits { DigestsBeforeLookahead = 16, DigestsPerRecord = 8 };
        var pending = new PendingMarks(limits);
        ReplayCheck check = Check(pending, limits);
        check.Begin(0, 100_000);
        var logged = new List<ulong>();
        pending.Full = () => check.BecameDurable(Take(pending, logged));
        for (ulong lsn = 1; lsn <= 100_000; lsn++)
        {
            check.RecordDone(lsn);
            if (check.IsBehind)
            {
                check.NoneAhead();
            }

            Assert.InRange(check.Held, 0, 16 + 8);
        }

        check.ReplayEnded();
        while (!pending.IsEmpty)
        {
            Take(pending, logged);
        }

        Assert.Equal(100_000, logged.Count);
        Assert.Equal(logged.Order(), logged);
    }

    [Fact]
    public void A_replica_whose_primary_tells_nothing_for_long_compares_the_newest_and_holds_no_more()
    {
        var limits = new CoreLimits { DigestsBeforeLookahead = 16, DigestsHeld = 32 };
        var pending = new PendingMarks(limits);
        ReplayCheck check = Check(pending, limits);
        check.Begin(0, ulong.MaxValue);
        for (ulong lsn = 1; lsn <= 1000; lsn++)
        {
            check.RecordDone(lsn);
            check.NoneAhead();
            Assert.InRange(check.Held, 0, 32);
        }

        Assert.True(pending.IsEmpty); // Who follows logs nothing.
        check.Logged(new TurnDigest(5, 12345, []));
        Assert.InRange(check.Held, 0, 32); // Of one that is not held any more nothing is kept.
        Assert.Throws<CoordinatorException>(() => check.Logged(new TurnDigest(999, 12345, [])));
    }

    [Fact]
    public void Two_messages_to_one_destination_that_change_places_are_other_contents()
    {
        Assert.Equal([], Differences([s_a, s_b], [s_a, s_b]));
        Assert.Equal([1UL], Differences([s_a, s_b], [s_b, s_a]));
        Assert.Equal([1UL], Differences([s_a], [s_b]));
    }

    [Fact]
    public void How_messages_are_cut_into_runs_is_no_difference()
    {
        Assert.Equal([], Differences([s_a, s_b, s_a], [[.. s_a, .. s_b], s_a]));
    }

    [Fact]
    public void What_an_exception_says_is_no_difference_and_what_stands_beside_it_is()
    {
        byte[] first = [16, 0, 3, 2, 1, 2, 65, 66, 67]; // A reply with an exception: form 3.
        byte[] again = [14, 0, 3, 2, 1, 2, 65, 66];
        Assert.Equal([], Differences([[.. s_a, .. first, .. s_b]], [[.. s_a, .. again], s_b]));
        Assert.Equal([1UL], Differences([[.. s_a, .. first, .. s_b]], [[.. s_b, .. again, .. s_a]]));
    }

    [Fact]
    public void An_exception_instead_of_a_value_and_exceptions_that_change_places_are_differences()
    {
        byte[] value = [12, 0, 2, 2, 1, 2, 5]; // Replies to call 1: a value, an exception; and an exception to call 2.
        byte[] exception = [14, 0, 3, 2, 1, 2, 65, 66];
        byte[] other = [14, 0, 3, 2, 1, 4, 65, 66];
        Assert.Equal([1UL], Differences([exception], [value]));
        Assert.Equal([1UL], Differences([value], [exception]));
        Assert.Equal([1UL], Differences([exception, other], [other, exception]));
    }

    [Fact]
    public void An_app_that_comes_again_before_its_digests_are_logged_is_compared_with_them_and_they_stay_the_first()
    {
        var pending = new PendingMarks(new CoreLimits());
        ReplayCheck check = Check(pending, new CoreLimits());
        check.Begin(0, 0);
        Send(check, s_a);
        check.RecordDone(1);
        check.Begin(0, 1);
        Send(check, s_b);
        check.RecordDone(1);
        check.ReplayEnded();
        Assert.Equal([1UL], _differed);
        var marks = new PageMarks();
        pending.MoveTo(marks);
        Assert.Equal(Digest([s_a]).Contents, Assert.Single(marks.Turns).Contents);
        check.Logged(marks.Turns[0]);
        Assert.Equal(0, check.Held);
    }

    [Fact] // The next session of an app ends its replay before the record that tells of it, or meets that record on the way.
    public void A_digest_that_becomes_durable_is_held_only_for_an_app_that_has_yet_to_execute_its_record()
    {
        var pending = new PendingMarks(new CoreLimits());
        ReplayCheck check = Check(pending, new CoreLimits());
        check.Begin(0, 0);
        Send(check, s_a);
        check.RecordDone(1);
        Send(check, s_a);
        check.RecordDone(2);
        check.Begin(0, 2);
        Send(check, s_a);
        check.RecordDone(1);
        var marks = new PageMarks();
        pending.MoveTo(marks);
        check.BecameDurable(marks.Turns);
        Assert.Equal(1, check.Held);
        Send(check, s_b);
        check.RecordDone(2);
        Assert.Equal([2UL], _differed);
    }

    [Fact]
    public void Of_two_digests_of_a_record_the_one_that_was_logged_first_counts()
    {
        ReplayCheck check = Check(new PendingMarks(new CoreLimits()), new CoreLimits());
        check.Begin(0, 1);
        check.Logged(Digest([s_a]));
        check.Logged(Digest([s_b]));
        Send(check, s_a);
        check.RecordDone(1);
        Assert.Equal([], _differed);
    }

    [Fact]
    public void What_is_read_ahead_is_compared_or_left_to_who_reads_it_and_held_by_nobody()
    {
        var limits = new CoreLimits { DigestsBeforeLookahead = 16 };
        var pending = new PendingMarks(limits);
        ReplayCheck check = Check(pending, limits);
        check.Begin(0, 100_000);
        for (ulong lsn = 1; lsn <= 16; lsn++)
        {
            check.RecordDone(lsn);
        }

        TurnDigest nothing = Digest([]);
        Assert.True(check.Ahead(nothing with { Lsn = 3 })); // Compared.
        for (ulong lsn = 20; lsn < 10_000; lsn++)
        {
            Assert.False(check.Ahead(nothing with { Lsn = lsn }));
        }

        Assert.Equal(15, check.Held);
        check.NoneBefore(20); // The log has no digest of the others: they are logged.
        Assert.Equal(15, check.Held);
        check.BecameDurable(Take(pending, []));
        Assert.Equal(0, check.Held);
    }

    [Fact]
    public void A_digest_of_an_earlier_build_says_nothing_of_contents()
    {
        ReplayCheck check = Check(new PendingMarks(new CoreLimits()), new CoreLimits());
        TurnDigest digest = Digest([s_a]);
        check.Begin(0, 1);
        check.Logged(digest with { Contents = 0 });
        Send(check, s_b);
        check.RecordDone(1);
        Assert.Equal([], _differed);
    }

    private ReplayCheck Check(PendingMarks pending, CoreLimits limits) => new("bank", pending, limits, _differed.Add);

    private List<ulong> Differences(byte[][] first, byte[][] again)
    {
        ReplayCheck check = Check(new PendingMarks(new CoreLimits()), new CoreLimits());
        check.Begin(0, 1);
        check.Logged(Digest(first));
        foreach (byte[] run in again)
        {
            Send(check, run);
        }

        _differed.Clear();
        check.RecordDone(1);
        return _differed;
    }

    private TurnDigest Digest(byte[][] runs)
    {
        var pending = new PendingMarks(new CoreLimits());
        ReplayCheck check = Check(pending, new CoreLimits());
        check.Begin(0, 0);
        foreach (byte[] run in runs)
        {
            Send(check, run);
        }

        check.RecordDone(1);
        var marks = new PageMarks();
        pending.MoveTo(marks);
        return Assert.Single(marks.Turns);
    }

    private static void Send(ReplayCheck check, byte[] run)
    {
        (int count, _) = MessageScanner.Count(run, int.MaxValue, out int exceptions);
        check.Sent("shop", new ReadOnlySequence<byte>(run), count, exceptions > 0);
    }

    private static List<TurnDigest> Take(PendingMarks pending, List<ulong> logged)
    {
        var marks = new PageMarks();
        pending.MoveTo(marks);
        logged.AddRange(marks.Turns.Select(static turn => turn.Lsn));
        return marks.Turns;
    }
}
