using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Outside;

/// <summary>The rules of docs/internals/outside-calls.md on random schedules.</summary>
public sealed class OutsideCallsTests
{
    [Fact]
    public void No_call_is_admitted_twice_none_is_lost_and_everybody_keeps_the_same()
    {
        var verdicts = new Dictionary<OutsideVerdict, int>();
        int forgotten = 0;
        for (int seed = 1; seed <= Extent.Of(everyday: 200, full: 500, soak: 5000); seed++)
        {
            var world = new OutsideWorld(seed);
            try
            {
                world.Run(400);
            }
            catch (Exception error)
            {
                Assert.Fail($"seed {seed}: {error}");
            }

            forgotten += world.Forgotten;
            foreach ((OutsideVerdict verdict, int count) in world.Verdicts)
            {
                verdicts[verdict] = verdicts.GetValueOrDefault(verdict) + count;
            }
        }

        Assert.All(Enum.GetValues<OutsideVerdict>(), verdict =>
            Assert.True(verdicts.GetValueOrDefault(verdict) > 20, $"{verdict} was given {verdicts.GetValueOrDefault(verdict)} times"));
        Assert.True(forgotten > Extent.Of(everyday: 400, full: 1000, soak: 1000), $"only {forgotten} lines were forgotten");
    }

    [Fact]
    public void Records_and_checkpoints_hold_them_in_a_format_of_their_own()
    {
        var page = new PageMarks { Outside = new OutsideMarks() };
        page.Outside.Lines.Add(new OpenedLine("web", KeyHash.Of("order-42"), 1_795_439_000_000));
        page.Outside.Calls.Add(new LineCall(1, 0, 1, 1, 0, 7));
        byte[] body = new byte[RecordTrailer.MaxSize(page)];
        int size = RecordTrailer.Write(page, body, new Lsn(5), new Epoch(1));
        Assert.Equal(7 + 4, body[0]);
        RecordTrailer read = RecordTrailer.Read(body.AsMemory(0, size), out _);
        Assert.Equal(page.Outside.Lines, read.Outside!.Lines);
        Assert.Equal(page.Outside.Calls, read.Outside.Calls);

        var state = new CoordinatorState("bank", static _ => throw new InvalidOperationException("it sends nothing"));
        state.BeginBehind(new Lsn(4));
        state.Apply(read, new RecordPlace(new Lsn(5), new Epoch(1), DateTime.UnixEpoch.AddSeconds(1).Ticks), RecordOrigin.Log, ownEpoch: 2);
        state.Outside.Answered(1, new OutsideAnswer(5, 0, new byte[] { 1, 2 }), now: 2000);
        CheckpointHead head = CheckpointHead.Read(state.Snapshot([], follows: false, []).ToBytes(new Lsn(5)).Span);
        OutsideCall call = head.Outside.Find(1)!;
        Assert.Equal(("web", 5UL, 1000UL), (call.Line.Caller.Name, call.Lsn, call.Line.Used));
        Assert.Equal([1, 2], call.Answer!.Value.Bytes.ToArray());

        var without = new PageMarks();
        RecordTrailer.Write(without, body, new Lsn(6), new Epoch(1));
        Assert.Equal(4 + 4, body[0]); // As before.
        Assert.Equal(1, new CheckpointHead().ToBytes(new Lsn(5)).Span[0]);
    }

    [Fact]
    public void A_caller_that_says_it_is_done_with_a_call_on_its_way_harms_nobody()
    {
        var table = new OutsideCalls();
        var admission = new OutsideAdmission(table, new OutsideLimits());
        var page = new OutsideMarks();
        var late = new OutsideRequest("web", KeyHash.Of("session"), 1000, 3, 0, 7);
        OutsideRequest done = late with { N = 9, Low = 5 };
        Assert.Equal(OutsideVerdict.Admit, admission.Judge(done, 1000, out _));
        admission.Admit(done, page, 0);
        Assert.Equal(OutsideVerdict.Admit, admission.Judge(late, 1000, out _));
        ulong number = admission.Admit(late, page, 1);
        table.Apply(page, admission.Total, new Lsn(1), 1000);
        admission.BecameDurable(page);
        Assert.Null(table.Find(number));
        Assert.Equal(OutsideVerdict.Acknowledged, admission.Judge(late, 1000, out _));
        Assert.Equal(OutsideVerdict.Known, admission.Judge(done, 1000, out _));
    }

    [Fact] // X9
    public void While_all_is_used_up_those_who_have_the_most_make_room_although_no_share_is()
    {
        var limits = new OutsideLimits { MostCalls = 100, Shares = 4 };
        var table = new OutsideCalls();
        var admission = new OutsideAdmission(table, limits);
        int number = 0;
        for (int i = 0; i < 5; i++)
        {
            for (int n = 0; n < (i == 0 ? 16 : 21); n++, number++)
            {
                Admit(table, admission, new OutsideRequest($"caller {i}", KeyHash.Of($"{number}"), 1000, 1, 0, 7), answered: true);
            }
        }

        OutsideRequest late = new("caller 0", KeyHash.Of("late"), 700_000, 1, 0, 7);
        Assert.Equal(OutsideVerdict.Full, admission.Judge(late, 700_000, out _));
        Assert.Equal(0, admission.Forget(new OutsideMarks(), 500_000, 100)); // Ten minutes are kept, whatever happens.
        var marks = new OutsideMarks();
        Assert.Equal(12, admission.Forget(marks, 700_000, 100));
        string[] whose = [.. marks.Forgotten.Select(line => table.Lines[line].Caller.Name).Distinct()];
        Assert.Equal(["caller 1", "caller 2", "caller 3", "caller 4"], whose);
        Apply(table, admission, marks);
        Assert.Equal(OutsideVerdict.Admit, admission.Judge(late, 700_000, out _));
        Assert.Equal(0, admission.Forget(new OutsideMarks(), 800_000, 100)); // There is room: a day is kept again.
    }

    [Fact] // X12
    public void A_caller_whose_answers_fill_its_share_frees_it_by_saying_that_it_has_them()
    {
        // Each answer has one byte. Its caller's share is three at first, then all that is kept.
        foreach (OutsideLimits limits in new[] { new OutsideLimits { MostAnswerBytes = 30 }, new OutsideLimits
            { MostAnswerBytes = 3, Shares = 1 } })
        {
            var table = new OutsideCalls();
            var admission = new OutsideAdmission(table, limits);
            var request = new OutsideRequest("web", KeyHash.Of("session"), 1000, 1, 0, 7);
            for (ulong n = 1; n <= 3; n++)
            {
                Admit(table, admission, request with { N = n }, answered: true);
            }

            Assert.Equal(OutsideVerdict.Full, admission.Judge(request with { N = 4 }, 1000, out _));
            Assert.Equal(OutsideVerdict.Admit, admission.Judge(request with { N = 4, Low = 1 }, 1000, out _));
            Admit(table, admission, request with { N = 4, Low = 3 }, answered: true);
            Assert.Equal(1, table.AnswerBytes);
        }
    }

    [Fact] // X9
    public void Lines_that_may_not_be_forgotten_are_not_looked_at_each_time()
    {
        var table = new OutsideCalls();
        var admission = new OutsideAdmission(table, new OutsideLimits { MostCalls = 1000, Shares = 20 });
        for (int i = 0; i < 50; i++)
        {
            Admit(table, admission, new OutsideRequest("web", KeyHash.Of($"{i}"), 1000, 1, 0, 7), answered: i == 49);
        }

        int looks = 0;
        for (var marks = new OutsideMarks(); admission.Forget(marks, 700_000, 1) == 0; looks++)
        {
            Assert.True(looks < 20, "a line behind others that are pending is never forgotten");
        }

        Assert.True(looks > 5, "all that is pending was looked at in one go");
    }

    private static void Admit(OutsideCalls table, OutsideAdmission admission, OutsideRequest request, bool answered)
    {
        var page = new OutsideMarks();
        Assert.Equal(OutsideVerdict.Admit, admission.Judge(request, 1000, out _));
        ulong number = admission.Admit(request, page, 0);
        Apply(table, admission, page);
        Assert.Equal(answered, answered && table.Answered(number, new OutsideAnswer(table.Through.Value, 0, new byte[1]), 1000));
    }

    private static void Apply(OutsideCalls table, OutsideAdmission admission, OutsideMarks page)
    {
        table.Apply(page, admission.Total, table.Through.Next, 1000);
        admission.BecameDurable(page);
    }
}
