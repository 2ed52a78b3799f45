namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Whether delays take their time: while one app acts, none ends before as much virtual time has passed, whatever the wall clock does
/// meanwhile (docs/internals/exactly-once.md H10). An app that began to act after a delay was set knows from the wall clock only how much
/// of it has passed.
/// </summary>
internal sealed class DelayWatch(SimReport report, Func<long> now)
{
    private readonly Dictionary<ulong, (long Since, TimeSpan Delay)> _set = [];
    private readonly Dictionary<string, long> _acts = [];
    private readonly Dictionary<string, long> _stepped = [];

    /// <summary>From now on this app rings the timers of the instance.</summary>
    public void Acts(string instance) => _acts[instance] = now();

    /// <summary>The wall clock of the instance's machine was set.</summary>
    public void ClockMoved(string instance) => _stepped[instance] = now();

    /// <summary>A delay begins, or is executed again.</summary>
    public void Begins(ulong id, TimeSpan delay) => _set.TryAdd(id, (now(), delay));

    /// <summary>It ends. Null, or what is wrong with that.</summary>
    public string? Ends(string instance, ulong id)
    {
        if (!_set.TryGetValue(id, out (long Since, TimeSpan Delay) set))
        {
            return $"{instance}: a delay ended that never began";
        }

        if (_acts.GetValueOrDefault(instance) >= set.Since)
        {
            return null;
        }

        if (_stepped.TryGetValue(instance, out long stepped) && stepped > set.Since)
        {
            report.Sometimes(Sighting.ClockSetDuringDelay);
        }

        var passed = TimeSpan.FromTicks(now() - set.Since);
        return passed >= set.Delay ? null : $"{instance}: a delay of {set.Delay} ended after {passed} (H10)";
    }
}
