using Ambrosia.CSharpBinding.Tests.State;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Durable;

public sealed class PendingCallsTests
{
    [Theory]
    [InlineData(1, 10)]
    [InlineData(2, 300)]
    [InlineData(3, 5000)]
    public void Every_call_is_found_once_by_its_number_whatever_stays_how_long(int seed, int limit)
    {
        Random random = new(seed);
        PendingCalls calls = new();
        SortedDictionary<long, IPendingCall> model = [];
        long next = 1;
        for (int step = 0; step < 60_000; step++)
        {
            if (model.Count < limit && random.Next(5) < 3)
            {
                VoidPendingCall call = new();
                Assert.Equal(next, calls.Add(call));
                model.Add(next++, call);
            }
            else if (model.Count > 0)
            {
                // The first few numbers are never answered, so that the ring wraps over them.
                long number = random.Next(10) == 0 ? random.NextInt64(1, next) : next - 1 - random.Next(Math.Min(limit, 50));
                if (number <= 3)
                {
                    continue;
                }
                Assert.Equal(model.Remove(number, out IPendingCall? expected), calls.TryRemove(number, out IPendingCall? actual));
                Assert.Same(expected, actual);
            }
            Assert.Equal(model.Count, calls.Count);
        }
        Assert.Equal(model.Values, calls);
        PendingCalls copy = Graph.Copy(calls);
        Assert.Equal(next, copy.NextNumber);
        Assert.Equal(model.Keys, copy.Select(call => call.Number));
        Assert.All(model.Keys, number => Assert.True(copy.TryRemove(number, out _)));
        Assert.Equal(0, copy.Count);
    }

    [Theory]
    [InlineData(1, 10)]
    [InlineData(2, 300)]
    [InlineData(3, 5000)]
    public void What_is_told_of_a_call_stays_with_it_wherever_the_table_keeps_it(int seed, int limit)
    {
        Random random = new(seed);
        PendingCalls calls = new();
        SortedSet<long> open = [];
        for (int step = 0; step < 60_000; step++)
        {
            if (open.Count < limit && random.Next(5) < 3)
            {
                calls.NextNote = new CallNote("to", 1, (ulong)calls.NextNumber, 0, 0);
                open.Add(calls.Add(new VoidPendingCall()));
            }
            else if (open.Count > 3)
            {
                long number = open.ElementAt(random.Next(3, Math.Min(open.Count, 60))); // The first three are never answered.
                Assert.True(calls.TryRemove(number, out IPendingCall? call));
                if (random.Next(3) == 0)
                {
                    calls.Return(call);
                }
                else
                {
                    open.Remove(number);
                }
            }
        }

        Assert.Equal(open, calls.WithNotes().Select(static each => each.Call.Number).Order());
        Assert.All(calls.WithNotes(), static each => Assert.Equal((ulong)each.Call.Number, each.Note.Lsn));
        Assert.All(Graph.Copy(calls).WithNotes(), static each => Assert.Equal(default, each.Note));
    }
}
