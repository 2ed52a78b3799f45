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
}
