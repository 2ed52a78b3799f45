
namespace Ambrosia.ImmortalCoordinator.Peers;

/// <summary>
/// Waits between attempts: 10 ms, doubling to one second, each shortened by up to half at random so that the peers of a
/// restarted instance do not all dial in the same instant.
/// </summary>
internal sealed class ReconnectPolicy(TimeProvider time, Func<double> random, CancellationToken stop)
{
    private static readonly TimeSpan s_first = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(1);
    private TimeSpan _next = s_first;

    public void Succeeded() => _next = s_first;

    public async Task WaitAsync()
    {
        TimeSpan wait = _next * (1 - 0.5 * random());
        _next = _next * 2 < s_longest ? _next * 2 : s_longest;
        try
        {
            await Task.Delay(wait, time, stop);
        }
        catch (OperationCanceledException)
        {
            // Stopping: no further attempt is wanted.
        }
    }
}
