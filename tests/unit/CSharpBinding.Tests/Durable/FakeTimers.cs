using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Durable;

/// <summary>Timers that fire when the test says so; ids and cells can be saved.</summary>
internal sealed class FakeTimers : IDurableTimers
{
    private long _last;

    public DateTimeOffset LogTime { get; set; } = DateTimeOffset.UnixEpoch;

    public SortedDictionary<long, DurableTimer> Pending { get; } = [];

    public long Schedule(DateTimeOffset deadline, DurableTimer timer)
    {
        Pending.Add(++_last, timer);
        return _last;
    }

    public void Cancel(long id) => Pending.Remove(id);

    public void FireDue()
    {
        foreach ((long id, DurableTimer timer) in Pending.ToArray())
        {
            if (timer.Deadline <= LogTime)
            {
                Pending.Remove(id);
                timer.Fire();
            }
        }
    }
}
