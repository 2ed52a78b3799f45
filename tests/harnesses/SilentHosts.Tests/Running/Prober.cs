using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;

namespace Ambrosia.SilentHosts.Tests.Running;

/// <summary>Asks one node for something that only another can answer; each question is part of the history that is audited.</summary>
internal sealed class Prober(History history)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(240);
    private int _asked;

    /// <summary>Returns when an awaited call from one to the other was answered.</summary>
    public async Task ReachAsync(NodeUnderTest from, NodeUnderTest to)
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            using GateClient? gate = await GateClient.TryConnectAsync(from.GatePath);
            if (gate is not null && await TryAsync(gate, from, to, s_patience - watch.Elapsed))
            {
                return;
            }

            if (watch.Elapsed > s_patience)
            {
                throw new TimeoutException($"{from.Name} did not reach {to.Name} within {s_patience.TotalSeconds:0} s.");
            }

            await Task.Delay(10);
        }
    }

    private async Task<bool> TryAsync(GateClient gate, NodeUnderTest from, NodeUnderTest to, TimeSpan left)
    {
        var request = new Request(string.Create(CultureInfo.InvariantCulture, $"probe{Interlocked.Increment(ref _asked)}"), from.Name,
            to.Name, WorkKind.Await);
        history.Begin(request);
        try
        {
            history.End(request, await gate.AskAsync($"submit {request.Id} {request.Kind} {request.Peer} 0")
                .WaitAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero));
            return true;
        }
        catch (Exception error) when (error is GateClosedException or TimeoutException)
        {
            request.Outcome = Outcome.Unknown;
            return false;
        }
    }
}
