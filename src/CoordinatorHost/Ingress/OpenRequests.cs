namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Counts the requests that are being answered. Who fills its share leaves that of others.</summary>
internal sealed class OpenRequests(IngressLimits limits)
{
    private readonly object _gate = new();
    private readonly Dictionary<string, int> _ofCallers = new(StringComparer.Ordinal);
    private int _all;

    /// <summary>Whether one more may be answered; then <see cref="End"/> follows.</summary>
    public bool TryBegin(string caller)
    {
        lock (_gate)
        {
            int open = _ofCallers.GetValueOrDefault(caller);
            if (_all >= limits.Requests || open >= limits.RequestsOfOne)
            {
                return false;
            }

            _all++;
            _ofCallers[caller] = open + 1;
            return true;
        }
    }

    /// <summary>One has been answered.</summary>
    public void End(string caller)
    {
        lock (_gate)
        {
            _all--;
            if (--_ofCallers[caller] == 0)
            {
                _ofCallers.Remove(caller);
            }
        }
    }
}
