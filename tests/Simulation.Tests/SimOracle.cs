namespace Ambrosia.Simulation.Tests;

/// <summary>What an observer outside the system knows: everything that was ever sent and executed. Asserts at every step (PROTOCOL section D).</summary>
internal sealed class SimOracle
{
    private readonly Dictionary<(string From, string To), List<ulong>> _sent = [];
    private readonly Dictionary<(string Instance, ulong Lsn, int Index), Execution> _executed = [];
    private readonly Dictionary<ulong, (string Instance, ulong Lsn, int Index)> _impulses = [];
    private readonly Dictionary<(string Instance, ulong Lsn), ulong> _states = [];

    public string? Violation { get; private set; }

    public long Executions { get; private set; }

    public int LoggedImpulses => _impulses.Count;

    /// <summary>The n-th replayable message of a connection was generated; regenerating must bring forth the same.</summary>
    public void Sent(string from, string to, ulong number, ulong identity)
    {
        if (!_sent.TryGetValue((from, to), out List<ulong>? list))
        {
            _sent[(from, to)] = list = [];
        }

        if (number <= (ulong)list.Count)
        {
            Require(list[(int)number - 1] == identity, $"{from}->{to} message {number} was regenerated differently");
        }
        else
        {
            Require(number == (ulong)list.Count + 1, $"{from}->{to} message {number} generated after {list.Count}");
            list.Add(identity);
        }
    }

    /// <summary>Somebody executed a message: whoever executes this place, ever, executes the same (G3, D3).</summary>
    public void Executed(string instance, ulong lsn, int index, Execution execution)
    {
        Executions++;
        if (_executed.TryGetValue((instance, lsn, index), out Execution before))
        {
            Require(before == execution, $"{instance} {lsn}:{index} executed as {execution}, before as {before}");
            return;
        }

        _executed.Add((instance, lsn, index), execution);
        if (execution.Impulse)
        {
            Require(_impulses.TryAdd(execution.Identity, (instance, lsn, index)), $"impulse {execution.Identity:x} logged twice (G2)");
        }
    }

    /// <summary>State of an instance at a record: equal for whoever was there (D9).</summary>
    public void State(string instance, ulong lsn, ulong hash)
    {
        if (!_states.TryAdd((instance, lsn), hash))
        {
            Require(_states[(instance, lsn)] == hash, $"{instance} has two states at {lsn}");
        }
    }

    /// <summary>Healed and idle: everything sent was executed once, in order, per connection (G1).</summary>
    public void RequireExactlyOnce(IReadOnlyCollection<string> instances)
    {
        foreach (string to in instances)
        {
            Dictionary<string, List<ulong>> got = [];
            foreach (((string _, ulong _, int _), Execution execution) in _executed
                .Where(e => e.Key.Instance == to && !e.Value.Impulse).OrderBy(e => e.Key.Lsn).ThenBy(e => e.Key.Index))
            {
                if (!got.TryGetValue(execution.From, out List<ulong>? list))
                {
                    got[execution.From] = list = [];
                }

                list.Add(execution.Identity);
            }

            foreach (string from in instances)
            {
                List<ulong> want = _sent.GetValueOrDefault((from, to)) ?? [];
                List<ulong> have = got.GetValueOrDefault(from) ?? [];
                int same = want.Zip(have).TakeWhile(p => p.First == p.Second).Count();
                Require(want.Count == have.Count && same == want.Count, $"{from}->{to}: {want.Count} sent, {have.Count} executed, equal up to {same} (G1)");
            }
        }
    }

    public bool WasExecuted(ulong impulse) => _impulses.ContainsKey(impulse);

    public void Require(bool condition, string violation)
    {
        if (!condition)
        {
            Violation ??= violation;
        }
    }

    internal readonly record struct Execution(string From, ulong Identity, bool Impulse, ulong Epoch, long Timestamp);
}
