using Ambrosia.Coordinator.Records;


namespace Ambrosia.ImmortalCoordinator.Tests.Ingest;

/// <summary>How far a reader of the log has to go, from few marks.</summary>
public sealed class LogMarksTests
{
    [Fact]
    public void A_reader_that_begins_again_has_everything_from_there_before_it()
    {
        var marks = new LogMarks(granule: 0);
        for (ulong lsn = 1; lsn <= 10; lsn++)
        {
            marks.Add(lsn, 100);
        }

        Assert.Equal(1000, marks.Behind);
        marks.MoveTo(10);
        Assert.Equal(0, marks.Behind);
        marks.MoveTo(4);
        Assert.Equal(600, marks.Behind);
        marks.Forget(8); // Not what is still before the reader.
        Assert.Equal(600, marks.Behind);
        marks.MoveTo(7);
        Assert.Equal(300, marks.Behind);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Never_says_less_than_there_is_nor_more_than_a_granule_above_it_and_keeps_few_marks(int seed)
    {
        const int Granule = 1000;
        var random = new Random(seed);
        var marks = new LogMarks(Granule);
        var sizes = new List<long>();
        ulong at = 0;
        for (int step = 0; step < 20_000; step++)
        {
            switch (random.Next(8))
            {
                case 0 when random.Next(100) == 0:
                    at = (ulong)random.Next(sizes.Count + 1);
                    marks.MoveTo(at);
                    break;
                case < 4:
                    at = Math.Min((ulong)sizes.Count, at + (ulong)random.Next(4));
                    marks.MoveTo(at);
                    break;
                default:
                    sizes.Add(random.Next(1, 100));
                    marks.Add((ulong)sizes.Count, sizes[^1]);
                    break;
            }

            if (step % 50 == 0)
            {
                long behind = sizes.Skip((int)at).Sum();
                Assert.InRange(marks.Behind, behind, behind + Granule);
            }
        }

        Assert.InRange(marks.Count, 1, (int)(sizes.Sum() / Granule * 4));
    }
}
