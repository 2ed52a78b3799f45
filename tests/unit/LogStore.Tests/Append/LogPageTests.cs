using Ambrosia.LogStore.Append;

namespace Ambrosia.LogStore.Tests.Append;

/// <summary>The page's state machine, one atomic step at a time in every order that a seeded scheduler comes up with.</summary>
public sealed class LogPageTests
{
    [Fact]
    public void A_page_is_handed_over_once_after_the_last_writer_in_every_schedule()
    {
        int schedules = int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_SCHEDULES"), out int asked) ? asked
            : Extent.Of(everyday: 150, full: 1000, soak: 1000);
        (int refused, int handedOverByWriter, int raced) = (0, 0, 0);
        for (int seed = 0; seed < schedules; seed++)
        {
            Outcome outcome = RunSchedule(seed);
            refused += outcome.Refused > 0 ? 1 : 0;
            handedOverByWriter += outcome.HandedOverByWriter ? 1 : 0;
            raced += outcome.Races > 0 ? 1 : 0;
        }

        // A schedule explorer that never sees the interesting cases proves nothing.
        Assert.True(refused > schedules / 20, $"{refused} schedules had a refused writer");
        Assert.True(handedOverByWriter > schedules / 20, $"{handedOverByWriter} pages were handed over by a writer");
        Assert.True(raced > schedules / 20, $"{raced} schedules had steps of others within a reservation");
    }

    [Fact]
    public void A_page_without_a_life_takes_nothing_and_one_that_nobody_used_can_be_withdrawn()
    {
        var page = new LogPage(null, new object());
        Assert.Equal(PageOutcome.Sealed, page.TryReserve(1, out _));
        var pool = new PageBufferPool(4096, 1);
        page.Begin(pool.Rent(4096), 100, 1);
        Assert.True(page.TryWithdraw(out PageBuffer? buffer));
        buffer!.Release();
        Assert.True(page.IsFree);
        Assert.False(page.IsReady);
        page.Begin(pool.Rent(4096), 100, 1);
        Assert.Equal(PageOutcome.Full, page.TryReserve(101, out _));
        Assert.Equal(PageOutcome.Reserved, page.TryReserve(100, out int offset));
        Assert.Equal(0, offset);
        Assert.False(page.TryWithdraw(out _));
        Assert.True(page.Seal());
        Assert.False(page.Seal());
        Assert.False(page.IsReady);
        page.Publish();
        Assert.True(page.IsReady);
        page.End();
        Assert.True(page.IsFree);
    }

    [Fact]
    public void A_page_is_withdrawn_or_taken_by_a_writer_and_never_both_in_every_schedule()
    {
        (int taken, int withdrawn) = (0, 0);
        for (int seed = 0; seed < 200; seed++)
        {
            using var schedule = new StepSchedule(seed);
            var page = new LogPage(null, new object(), schedule);
            page.Begin(new PageBufferPool(4096, 1).Rent(4096), 100, 1);
            (bool isTaken, bool isWithdrawn) = (false, false);
            schedule.Run(() => isTaken = page.TryReserve(20, out _) == PageOutcome.Reserved, () => isWithdrawn = page.TryWithdraw(out _));
            Assert.True(isTaken != isWithdrawn, $"seed {seed}");
            taken += isTaken ? 1 : 0;
            withdrawn += isWithdrawn ? 1 : 0;
        }

        Assert.True(taken > 20 && withdrawn > 20, $"{taken} taken, {withdrawn} withdrawn");
    }

    private static Outcome RunSchedule(int seed)
    {
        const int capacity = 100;
        using var schedule = new StepSchedule(seed);
        var page = new LogPage(null, new object(), schedule);
        byte[] bytes = new byte[capacity];
        (int published, int unfinished, int refused, int handOvers, int publishedAtHandOver) = (0, 0, 0, 0, 0);
        bool byWriter = false;
        schedule.OnHandOver = actor => (handOvers, publishedAtHandOver, byWriter) = (handOvers + 1, published, actor < 3);
        page.Begin(new PageBufferPool(4096, 1).Rent(4096), capacity, 1);
        Action writer = () =>
        {
            for (int size = 20; size <= 40; size += 20)
            {
                if (page.TryReserve(size, out int offset) != PageOutcome.Reserved)
                {
                    refused++;
                    continue;
                }

                unfinished++;
                for (int at = offset; at < offset + size; at++)
                {
                    Assert.Equal(0, bytes[at]++); // Nobody else was given this place.
                }

                schedule.BeforeStep();
                Assert.Equal(0, handOvers); // Not before we are done.
                published += size;
                unfinished--;
                page.Publish();
            }
        };
        Action sealer = () => page.Seal();
        schedule.Run(writer, writer, writer, sealer);

        Assert.Equal(1, handOvers);
        Assert.True(page.IsReady);
        Assert.Equal(0, unfinished);
        Assert.Equal(page.Length, published);
        Assert.Equal(page.Length, publishedAtHandOver);
        Assert.Equal(page.Length, bytes.Count(value => value == 1));
        return new Outcome(refused, byWriter, schedule.Switches);
    }

    private sealed record Outcome(int Refused, bool HandedOverByWriter, int Races);
}
