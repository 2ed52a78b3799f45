using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// What this process has found out about checkpoints itself. The manifest says what was true when it was written; the device may have
/// changed since, and a person may have deleted a file.
/// Any thread asks and tells.
/// </summary>
internal sealed class CheckpointKnowledge
{
    private readonly object _gate = new();
    private readonly HashSet<Lsn> _good = [];
    private readonly HashSet<Lsn> _lost = [];
    private int _named;

    /// <summary>Grows when a checkpoint gets its name: what was read before may have been replaced.</summary>
    public int Named
    {
        get
        {
            lock (_gate)
            {
                return _named;
            }
        }
    }

    /// <summary>It was read to its verified end.</summary>
    public void FoundGood(Lsn lsn)
    {
        lock (_gate)
        {
            _good.Add(lsn);
            _lost.Remove(lsn);
        }
    }

    /// <summary>It was written and verified by this process, and has its name now.</summary>
    public void WasNamed(Lsn lsn)
    {
        lock (_gate)
        {
            _named++;
            _good.Add(lsn);
            _lost.Remove(lsn);
        }
    }

    /// <summary>
    /// It is damaged, or gone. False when nothing new is known by that, or one has got its name since <see cref="Named"/> was this
    /// number: then it has to be looked at again.
    /// </summary>
    public bool FoundLost(Lsn lsn, int named)
    {
        lock (_gate)
        {
            if (named != _named)
            {
                return false;
            }

            _good.Remove(lsn);
            return _lost.Add(lsn);
        }
    }

    /// <summary>A start has found these: whatever else was named is lost.</summary>
    public void FoundOnly(IReadOnlyList<ManifestEntry> found, IReadOnlyList<ManifestEntry> named)
    {
        lock (_gate)
        {
            _lost.UnionWith(named.Select(static entry => entry.Lsn).Except(found.Select(static entry => entry.Lsn)));
            _good.ExceptWith(_lost);
        }
    }

    /// <summary>It is deleted on purpose.</summary>
    public void Forget(Lsn lsn)
    {
        lock (_gate)
        {
            _good.Remove(lsn);
            _lost.Remove(lsn);
        }
    }

    /// <summary>Whether this process has verified it, and nothing has spoken against it since.</summary>
    public bool IsGood(Lsn lsn)
    {
        lock (_gate)
        {
            return _good.Contains(lsn);
        }
    }

    /// <summary>Whether it is known to be damaged or gone.</summary>
    public bool IsLost(Lsn lsn)
    {
        lock (_gate)
        {
            return _lost.Contains(lsn);
        }
    }

    /// <summary>Those of the entries that are not known to be damaged or gone.</summary>
    public IReadOnlyList<ManifestEntry> WithoutLost(IReadOnlyList<ManifestEntry> entries)
    {
        lock (_gate)
        {
            return entries.Any(entry => _lost.Contains(entry.Lsn)) ? [.. entries.Where(entry => !_lost.Contains(entry.Lsn))] : entries;
        }
    }

    /// <summary>Whether one was lost that is newer than all that are left.</summary>
    public bool HasLostBeyond(IReadOnlyList<ManifestEntry> left)
    {
        lock (_gate)
        {
            return _lost.Any(lost => left.All(entry => entry.Lsn < lost));
        }
    }

    /// <summary>Those that are damaged or gone.</summary>
    public Lsn[] Lost()
    {
        lock (_gate)
        {
            return [.. _lost];
        }
    }
}
