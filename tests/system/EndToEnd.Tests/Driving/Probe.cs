using System.Diagnostics;
using System.Globalization;
using EndToEnd;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>One caller that waits for each answer before it asks again, and notices the longest silence: through a node that lives it calls
/// another.</summary>
internal sealed class Probe : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _running;

    public Probe(History history, NodeUnderTest through, NodeUnderTest called) =>
        _running = Task.Run(() => RunAsync(history, through, called));

    public TimeSpan Longest { get; private set; }

    public int Answered { get; private set; }

    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _running;
    }

    public void Dispose() => _stop.Dispose();

    private async Task RunAsync(History history, NodeUnderTest through, NodeUnderTest called)
    {
        using GateClient gate = await through.ConnectAsync();
        while (!_stop.IsCancellationRequested)
        {
            string id = string.Create(CultureInfo.InvariantCulture, $"probe.{Answered}");
            var request = new Request(id, through.Name, called.Name, WorkKind.Await);
            var watch = Stopwatch.StartNew();
            history.Begin(request);
            history.End(request, await gate.AskAsync($"submit {id} {WorkKind.Await} {called.Name} 5"));
            Longest = watch.Elapsed > Longest ? watch.Elapsed : Longest;
            Answered++;
        }
    }
}
