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
        for (int seed = 1; seed <= 500; seed++)
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
        Assert.True(forgotten > 1000, $"only {forgotten} lines were forgotten");
    }

    [Fact]
    public void Records_and_checkpoints_hold_them_in_a_format_of_their_own()
    {
        var page = new PageMarks { Outside = new OutsideMarks() };
        page.Outside.Lines.Add(new LineMark("web", KeyHash.Of("order-42"), 1_795_439_000_000));
        page.Outside.Calls.Add(new CallMark(1, 0, 1, 1, 0, 7));
        byte[] body = new byte[RecordTrailer.MaxSize(page)];
        int size = RecordTrailer.Write(page, body, new Lsn(5), new Epoch(1));
        Assert.Equal(RecordTrailer.Format + 4, body[0]);
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
}
