using Ambrosia.CoordinatorHost.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// How often each caller may come: so many a second, and as many as of one second at once after a pause. Callers come from a file, so there
/// are not many.
/// </summary>
/// <param name="perSecond">How often; 0 for as often as it likes.</param>
/// <param name="time">Clock.</param>
internal sealed class CallRate(double perSecond, TimeProvider time)
{
    private readonly object _gate = new();
    private readonly Dictionary<string, (double Left, long At)> _callers = new(StringComparer.Ordinal);

    /// <summary>Why one may not come now.</summary>
    public static Problem TooOften(TimeSpan wait) => new(
        StatusCodes.Status429TooManyRequests, IngressErrors.TooOften, "this caller has sent more requests a second than it may")
    {
        Pause = wait,
    };

    /// <summary>Whether one more may come now.</summary>
    /// <param name="caller">The caller that comes.</param>
    /// <param name="wait">How long it has to wait if it may not.</param>
    public bool TryTake(string caller, out TimeSpan wait)
    {
        wait = TimeSpan.Zero;
        if (perSecond <= 0)
        {
            return true;
        }

        double most = Math.Max(1, perSecond);
        lock (_gate)
        {
            long now = time.GetTimestamp();
            double left = most;
            if (_callers.TryGetValue(caller, out (double Left, long At) last))
            {
                left = Math.Min(most, last.Left + (time.GetElapsedTime(last.At, now).TotalSeconds * perSecond));
            }

            bool may = left >= 1;
            _callers[caller] = (may ? left - 1 : left, now);
            wait = may ? TimeSpan.Zero : TimeSpan.FromSeconds((1 - left) / perSecond);
            return may;
        }
    }
}
