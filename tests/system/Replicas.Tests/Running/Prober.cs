using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;

namespace Ambrosia.Replicas.Tests.Running;

/// <summary>Calls an instance by way of another one, again and again, and measures how long it takes until it answers.</summary>
internal sealed class Prober(History history, NodeUnderTest from, string to)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly List<double> _times = [];
    private int _asked;

    /// <summary>What the time is counted from.</summary>
    public string Event { get; init; } = "kill";

    /// <summary>The longest of them, in milliseconds.</summary>
    public double Longest => _times.Max();

    /// <summary>One line: how long the answers took.</summary>
    public string Summary
    {
        get
        {
            double[] sorted = [.. _times.Order()];
            return sorted.Length == 0 ? "nothing measured" : string.Create(
                CultureInfo.InvariantCulture,
                $"{sorted.Length} times from {Event} to next answered call: min/median/max "
                + $"{sorted[0]:0}/{sorted[sorted.Length / 2]:0}/{sorted[^1]:0} ms");
        }
    }

    /// <summary>Returns when a call that begins now was answered, and the time since a kill; that is noted.</summary>
    public async Task<TimeSpan> ReachAsync(Stopwatch sinceKill)
    {
        await ReachAsync();
        _times.Add(sinceKill.Elapsed.TotalMilliseconds);
        return sinceKill.Elapsed;
    }

    /// <summary>Returns when a call that begins now was answered.</summary>
    public async Task ReachAsync()
    {
        using GateClient gate = await from.ConnectAsync();
        var request = new Request(string.Create(CultureInfo.InvariantCulture, $"probe{++_asked}"), from.Name, to, WorkKind.Await);
        history.Begin(request);
        history.End(request, await gate.AskAsync($"submit {request.Id} {request.Kind} {request.Peer} 0").WaitAsync(s_patience));
    }
}
