using Ambrosia;

namespace Bank;

/// <summary>Watches the numbers of the messages from one sender: 1, 2, 3 ... is the only right order.</summary>
public sealed class Arrivals
{
    private readonly DurableSet<long> _missing = [];
    private long _highest;
    private long _count;
    private long _duplicates;
    private long _outOfOrder;

    public void Take(long number)
    {
        _count++;
        if (number > _highest)
        {
            for (long skipped = _highest + 1; skipped < number; skipped++)
            {
                _missing.Add(skipped);
            }

            _highest = number;
        }
        else if (_missing.Remove(number))
        {
            _outOfOrder++;
        }
        else
        {
            _duplicates++;
        }
    }

    public ArrivalReport Report(string sender) => new(sender, _highest, _count, _missing.Count, _duplicates, _outOfOrder);
}
