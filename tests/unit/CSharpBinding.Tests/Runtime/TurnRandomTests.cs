using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class TurnRandomTests
{
    private readonly TurnClock _clock = new();
    private readonly TurnRandom _random;

    public TurnRandomTests()
    {
        _clock.Attach(Guid.Parse("6f1c1b50-7a1f-4b0e-9d5b-0a3d5f3c2e11"));
        _clock.BeginRecord(new RecordInfo(17, 3, 0, 1, 0, 0));
        _clock.BeginTurn(1, TurnCause.Call);
        _random = new TurnRandom(_clock, static () => { });
    }

    [Fact] // The numbers were computed by other code (Python: hashlib and 64-bit arithmetic).
    public void Its_numbers_are_part_of_the_meaning_of_logs_and_never_change()
    {
        Assert.Equal(
            "8203, 4149, 7947, 8756",
            string.Join(", ", Enumerable.Range(0, 4).Select(_ => _random.Next(10_000))));
    }

    [Fact]
    public void Every_turn_instance_epoch_and_index_has_numbers_of_its_own()
    {
        var seen = new HashSet<long>();
        for (ulong epoch = 1; epoch < 4; epoch++)
        {
            for (ulong lsn = 1; lsn < 4; lsn++)
            {
                _clock.BeginRecord(new RecordInfo(lsn, epoch, 0, 3, 0, 0));
                for (int index = 0; index < 3; index++)
                {
                    _clock.BeginTurn(1, TurnCause.Call);
                    Assert.True(seen.Add(_random.NextInt64()));
                    Assert.True(seen.Add(_random.NextInt64()));
                }
            }
        }
    }

    [Fact]
    public void Numbers_stay_in_their_range_and_use_all_of_it()
    {
        int[] counts = new int[7];
        for (int i = 0; i < 7000; i++)
        {
            counts[_random.Next(-3, 4) + 3]++;
            Assert.InRange(_random.NextDouble(), 0, 0.99999999999999989);
            Assert.InRange(_random.NextSingle(), 0f, 0.99999994f);
            Assert.InRange(_random.NextInt64(long.MinValue, long.MaxValue), long.MinValue, long.MaxValue - 1);
        }

        Assert.All(counts, count => Assert.InRange(count, 800, 1200));
        Assert.Contains(Enumerable.Range(0, 100).Select(_ => _random.Next()), static n => n % 2 != 0);
        Assert.Equal(5, _random.Next(5, 5));
        Assert.Throws<ArgumentOutOfRangeException>(() => _random.Next(5, 4));
        byte[] bytes = new byte[11];
        _random.NextBytes(bytes);
        Assert.NotEqual(new byte[11], bytes);
    }
}
