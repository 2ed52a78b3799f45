namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>Addresses where calls go alone for a while, because there are no streams, or they have failed there.</summary>
internal sealed class LoneRoutes(TimeProvider time)
{
    private const int Most = 10_000;
    private static readonly TimeSpan s_alone = TimeSpan.FromMinutes(1); // There may be another process by then.
    private readonly object _gate = new();
    private readonly Dictionary<string, long> _since = new(StringComparer.Ordinal);

    /// <summary>Whether calls go alone there.</summary>
    public bool Has(string address)
    {
        lock (_gate)
        {
            return _since.TryGetValue(address, out long since) && time.GetElapsedTime(since) < s_alone;
        }
    }

    /// <summary>They do so from now on.</summary>
    public void Add(string address)
    {
        lock (_gate)
        {
            if (_since.Count >= Most)
            {
                _since.Clear(); // Each is found again.
            }

            _since[address] = time.GetTimestamp();
        }
    }
}
