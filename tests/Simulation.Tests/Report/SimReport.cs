using System.Globalization;
using System.Text;

namespace Ambrosia.Simulation.Tests;

/// <summary>What a number of schedules did: for people, and for the assertion that they did enough. Several can be added up.</summary>
internal sealed class SimReport
{
    private static readonly int s_faults = Enum.GetValues<SimFault>().Length;
    private static readonly int s_states = Enum.GetValues<SimState>().Length;
    private readonly long[,] _hits = new long[s_faults, s_states];
    private readonly SortedDictionary<int, long> _logged = [];
    private readonly SortedDictionary<string, long> _sometimes = new(StringComparer.Ordinal);

    public long Schedules { get; private set; }

    public long Executions { get; private set; }

    public long Steps { get; private set; }

    public long VirtualTicks { get; private set; }

    public static bool IsTextual(int eventId) => eventId is 1403 or 1402;

    public void Count(SimFault fault, SimState state) => _hits[(int)fault, (int)state]++;

    public void Sometimes(string what) => _sometimes[what] = _sometimes.GetValueOrDefault(what) + 1;

    public void Logged(int eventId) => _logged[eventId] = _logged.GetValueOrDefault(eventId) + 1;

    public void Logged(int eventId, string text)
    {
        int code = text.IndexOf("IC-", StringComparison.Ordinal);
        if (code >= 0)
        {
            Sometimes($"{eventId} {text.Substring(code, 7)}");
        }
    }

    public void Add(SimCluster cluster)
    {
        Schedules++;
        Executions += cluster.Executions;
        Steps += cluster.Steps;
        VirtualTicks += cluster.VirtualTicks;
    }

    public void Add(SimReport other)
    {
        Schedules += other.Schedules;
        Executions += other.Executions;
        Steps += other.Steps;
        VirtualTicks += other.VirtualTicks;
        for (int fault = 0; fault < s_faults; fault++)
        {
            for (int state = 0; state < s_states; state++)
            {
                _hits[fault, state] += other._hits[fault, state];
            }
        }

        foreach ((int id, long count) in other._logged)
        {
            _logged[id] = _logged.GetValueOrDefault(id) + count;
        }

        foreach ((string what, long count) in other._sometimes)
        {
            _sometimes[what] = _sometimes.GetValueOrDefault(what) + count;
        }
    }

    public string Describe(TimeSpan real)
    {
        var text = new StringBuilder();
        var time = TimeSpan.FromTicks(VirtualTicks);
        text.AppendLine(CultureInfo.InvariantCulture, $"{Schedules} schedules, {Executions} executions, {Steps} steps; {time.TotalHours:F1} h of virtual time in {real.TotalSeconds:F1} s: {time / real:F0} times real time, {Schedules / real.TotalSeconds:F1} schedules/s");
        text.Append(CultureInfo.InvariantCulture, $"{"",-20}");
        foreach (SimState state in Enum.GetValues<SimState>())
        {
            text.Append(CultureInfo.InvariantCulture, $"{state,14}");
        }

        text.AppendLine();
        for (int fault = 0; fault < s_faults; fault++)
        {
            text.Append(CultureInfo.InvariantCulture, $"{(SimFault)fault,-20}");
            for (int state = 0; state < s_states; state++)
            {
                text.Append(CultureInfo.InvariantCulture, $"{_hits[fault, state],14}");
            }

            text.AppendLine();
        }

        text.AppendLine($"log events: {string.Join(", ", _logged.Select(static pair => $"{pair.Key} x {pair.Value}"))}");
        foreach ((string what, long count) in _sometimes)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"{count,8} {what}");
        }

        return text.ToString();
    }
}
