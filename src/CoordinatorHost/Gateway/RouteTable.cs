namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Remembers where instances are. A name is looked up once, however many calls wait for it, and again only when one of them has failed with
/// what the last look-up said. A call that asks sooner is given the same again, so that a thousand calls to an instance that is away
/// are ten look-ups a second.
/// </summary>
/// <param name="look">Looks a name up; null if there is no such instance.</param>
/// <param name="time">Clock.</param>
/// <param name="limits">How much is kept, and for how long.</param>
internal sealed class RouteTable(Func<string, CancellationToken, Task<Route?>> look, TimeProvider time, RouteLimits limits)
    : IDisposable
{
    private readonly object _gate = new();
    private readonly SemaphoreSlim _free = new(limits.AtOnce);
    private readonly Dictionary<string, Entry> _entries = new(StringComparer.Ordinal);

    /// <summary>Names that are remembered.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _entries.Count;
            }
        }
    }

    /// <summary>The route to an instance; null if there is none of this name.</summary>
    /// <param name="instance">Its name.</param>
    /// <param name="failed">The route with which the asking call has failed; null if it has not tried yet.</param>
    /// <param name="stop">Ends the waiting, not the look-up.</param>
    /// <exception cref="RouteUnknownException">The catalog cannot say.</exception>
    public Task<Route?> FindAsync(string instance, Route? failed, CancellationToken stop)
    {
        lock (_gate)
        {
            if (!_entries.TryGetValue(instance, out Entry? entry))
            {
                MakeRoom();
                _entries[instance] = entry = new Entry();
            }

            if (NeedsLook(entry, failed))
            {
                entry.Before = entry.Found is { IsCompletedSuccessfully: true } last ? last.Result : entry.Before;
                (entry.Looked, entry.IsDoubted) = (time.GetTimestamp(), false);
                entry.Found = LookAsync(instance, entry.Before);
            }

            return entry.Found!.WaitAsync(stop);
        }
    }

    /// <summary>A call has failed with a route and does not go on: the next one looks again.</summary>
    public void Doubt(string instance, Route failed)
    {
        lock (_gate)
        {
            if (_entries.TryGetValue(instance, out Entry? entry) && entry.Found is { IsCompletedSuccessfully: true, Result: { } known }
                && ReferenceEquals(known, failed))
            {
                entry.IsDoubted = true;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _free.Dispose();

    private bool NeedsLook(Entry entry, Route? failed)
    {
        if (entry.Found is not { } found)
        {
            return true;
        }

        TimeSpan age = time.GetElapsedTime(entry.Looked);
        return found.IsCompleted && age >= limits.Between
            && (!found.IsCompletedSuccessfully || entry.IsDoubted || found.Result is not { } route
                || ReferenceEquals(route, failed));
    }

    // Names that are not there, or cannot be looked up, are forgotten first. Routes are found again.
    private void MakeRoom()
    {
        if (_entries.Count < limits.Names)
        {
            return;
        }

        Remove(static entry => entry.Found is { IsCompletedSuccessfully: true, Result: not null });
        if (_entries.Count >= limits.Names)
        {
            Remove(static _ => false);
        }
    }

    private void Remove(Func<Entry, bool> stays)
    {
        foreach ((string name, Entry entry) in _entries.ToArray())
        {
            if (entry.Found is { IsCompleted: true } && !stays(entry))
            {
                _entries.Remove(name);
            }
        }
    }

    private async Task<Route?> LookAsync(string instance, Route? before)
    {
        await Task.Yield(); // Out of the lock.
        try
        {
            await _free.WaitAsync(); // Each of those before it takes so long at most.
            using var late = new CancellationTokenSource(limits.Patience, time);
            try
            {
                return await look(instance, late.Token).WaitAsync(late.Token);
            }
            finally
            {
                _free.Release();
            }
        }
        catch (Exception error) when (error is IOException or OperationCanceledException or HttpRequestException)
        {
            // The catalog is a cache of what instances say: what it said before may still be true.
            return before is not null
                ? new Route(new Uri(before.Address), before.InstanceId) { IsRemembered = true }
                : throw new RouteUnknownException(
                    error is OperationCanceledException ? "the catalog does not answer" : error.Message, error);
        }
    }

    private sealed class Entry
    {
        public Task<Route?>? Found { get; set; }

        public Route? Before { get; set; }

        public long Looked { get; set; }

        public bool IsDoubted { get; set; }
    }
}
