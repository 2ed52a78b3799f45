using System.Diagnostics;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Running;

/// <summary>A program without a coordinator: started again when it crashes.</summary>
internal sealed class LoneProgram(string label, Func<ProcessStartInfo> describe, Terminal terminal, TimeProvider time) : ICrewMember
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private readonly Part _part = new(label, describe, static code => code is not (0 or Pair.Usage or Pair.BuildRefused), terminal, time);
    private readonly CancellationTokenSource _stop = new();
    private int _interrupts;

    public int Restarts => _part.Restarts;

    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        await using CancellationTokenRegistration outer = cancellationToken.Register(_stop.Cancel);
        Task<int> running = _part.RunAsync(_stop.Token);
        try
        {
            await Task.WhenAny(running, Task.Delay(Timeout.InfiniteTimeSpan, time, _stop.Token));
            _part.Terminate();
            return await running.WaitAsync(s_patience, time, CancellationToken.None);
        }
        catch (TimeoutException)
        {
            _part.Kill();
            return await running;
        }
        finally
        {
            _part.Kill();
        }
    }

    public void Interrupt()
    {
        if (Interlocked.Increment(ref _interrupts) > 1)
        {
            _part.Kill();
        }

        _stop.Cancel();
    }

    public void Dispose()
    {
        _part.Dispose();
        _stop.Dispose();
    }
}
