namespace Ambrosia.Coordinator.Links;

/// <summary>
/// Waits between attempts: 10 ms, doubling to 50 ms for the first three seconds, in which a replica may take a dead primary's place, then
/// to one second; each shortened by up to half at random so that the peers of a restarted instance do not all dial in the same instant.
/// </summary>
internal sealed class ReconnectPolicy(TimeProvider time, Func<double> random, CancellationToken stop)
{
    private static readonly TimeSpan s_first = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_longestAtFirst = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_atFirst = TimeSpan.FromSeconds(3);
    private TimeSpan _next = s_first;
    private long? _since;

    public void Succeeded() => (_next, _since) = (s_first, null);

    /// <exception cref="OperationCanceledException">No further attempt is wanted.</exception>
    public async Task WaitAsync()
    {
        TimeSpan wait = _next * (1 - 0.5 * random());
        _since ??= time.GetTimestamp();
        TimeSpan longest = time.GetElapsedTime(_since.Value) < s_atFirst ? s_longestAtFirst : s_longest;
        _next = _next * 2 < longest ? _next * 2 : longest;
        await Task.Delay(wait, time, stop);
    }
}
