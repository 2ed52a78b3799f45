using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// What people see of the effects of a process that acts (effect-rules.md E23): by method how many are pending and run, how often it was
/// tried, why it failed last. Told to the coordinator when it has changed, once a second at most.
/// </summary>
internal sealed class EffectFigures(TimeProvider time, Action<EffectsTold> tell) : IDisposable
{
    private static readonly TimeSpan s_apart = TimeSpan.FromSeconds(1);
    private readonly object _gate = new();
    private readonly SortedDictionary<string, Figures> _methods = new(StringComparer.Ordinal);
    private ITimer? _timer;
    private long _told;
    private bool _armed;
    private bool _closed;

    /// <summary>An effect is pending.</summary>
    public void Pending(PendingEffect effect)
    {
        lock (_gate)
        {
            Of(effect).Pending.Add(effect.Key, effect.Asked);
            Changed();
        }
    }

    /// <summary>Those are.</summary>
    public void Pending(IEnumerable<PendingEffect> effects)
    {
        foreach (PendingEffect effect in effects)
        {
            Pending(effect);
        }
    }

    /// <summary>It is pending, and not performed.</summary>
    public void Held(PendingEffect effect)
    {
        lock (_gate)
        {
            Of(effect).Held.Add(effect.Key);
            Changed();
        }
    }

    /// <summary>It is no longer held.</summary>
    public void Released(PendingEffect effect)
    {
        lock (_gate)
        {
            Of(effect).Held.Remove(effect.Key);
            Changed();
        }
    }

    /// <summary>It no longer is.</summary>
    public void Ended(PendingEffect effect)
    {
        lock (_gate)
        {
            Figures figures = Of(effect);
            figures.Pending.Remove(effect.Key);
            figures.Held.Remove(effect.Key);
            figures.LastError = figures.Pending.Count == 0 ? "" : figures.LastError;
            Changed();
        }
    }

    /// <summary>An attempt begins.</summary>
    public void Begins(PendingEffect effect)
    {
        lock (_gate)
        {
            Figures figures = Of(effect);
            figures.Running++;
            figures.Attempts++;
            Changed();
        }
    }

    /// <summary>An attempt has ended; without an error it succeeded, or nobody wants to know.</summary>
    public void Ends(PendingEffect effect, string? error)
    {
        lock (_gate)
        {
            Figures figures = Of(effect);
            figures.Running--;
            figures.Failures += error is null ? 0 : 1;
            figures.LastError = error is null || figures.Pending.Count == 0 ? figures.LastError : EffectMethodTold.Clean(error);
            Changed();
        }
    }

    /// <summary>This process no longer acts.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _closed = true;
            _timer?.Dispose();
        }
    }

    private Figures Of(PendingEffect effect)
    {
        string method = EffectMethodTold.Clean($"{effect.Contract.InterfaceName}.{effect.Method.Name}");
        if (!_methods.TryGetValue(method, out Figures? figures))
        {
            _methods[method] = figures = new Figures();
        }

        return figures;
    }

    // With the gate held. The timer rings outside of turns: a turn tells nothing.
    private void Changed()
    {
        if (_armed || _closed)
        {
            return;
        }

        _armed = true;
        TimeSpan due = _told == 0 ? TimeSpan.Zero : s_apart - time.GetElapsedTime(_told);
        _timer ??= time.CreateTimer(static figures => ((EffectFigures)figures!).Tell(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
        _timer.Change(due > TimeSpan.Zero ? due : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
    }

    private void Tell()
    {
        EffectsTold told;
        lock (_gate)
        {
            _armed = false;
            if (_closed)
            {
                return;
            }

            _told = time.GetTimestamp();
            told = new EffectsTold([.. _methods.Take(EffectsTold.MostMethods).Select(static each => each.Value.ToTold(each.Key))]);
        }

        tell(told);
    }

    private sealed class Figures
    {
        private const int MostNamed = 10;

        // The keys are in the order in which they were asked for, so the first is the oldest.
        public SortedDictionary<EffectKey, DateTimeOffset> Pending { get; } = [];

        public SortedSet<EffectKey> Held { get; } = [];

        public int Running { get; set; }

        public long Attempts { get; set; }

        public long Failures { get; set; }

        public string LastError { get; set; } = "";

        public EffectMethodTold ToTold(string method)
        {
            using SortedDictionary<EffectKey, DateTimeOffset>.Enumerator first = Pending.GetEnumerator();
            (string oldest, long asked) = first.MoveNext() ? (first.Current.Key.ToString(), first.Current.Value.UtcTicks) : ("", 0);
            string held = Held.Count == 0 ? "" : $"held, since processes ended while they ran: {string.Join(", ", Held.Take(MostNamed))}"
                + (Held.Count > MostNamed ? ", ..." : "");
            return new EffectMethodTold(method, Pending.Count, Running, Attempts, Failures, oldest, asked, held + (held.Length > 0
                && LastError.Length > 0 ? "; " : "") + LastError, Held.Count);
        }
    }
}
