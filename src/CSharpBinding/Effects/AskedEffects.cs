namespace Ambrosia.Runtime;

/// <summary>
/// The keys of the effects that were asked for since this process loaded its state. They tell an outcome that came twice from one that
/// nobody asked for. The oldest are
/// forgotten, and what is older than those that are known is believed.
/// </summary>
internal sealed class AskedEffects
{
    private const int Kept = 100_000;
    private readonly HashSet<EffectKey> _keys = [];
    private readonly Queue<EffectKey> _order = new();
    private EffectKey _known;
    private bool _begun;

    /// <summary>True if nothing is unknown: a message was quarantined, or another build than the one that asked is accepted.</summary>
    public bool IsLenient { get; set; }

    /// <summary>A record begins; the first one says from where on all is known.</summary>
    public void Begin(EffectKey first)
    {
        if (!_begun)
        {
            _begun = true;
            _known = first;
        }
    }

    public void Note(EffectKey key)
    {
        _keys.Add(key);
        _order.Enqueue(key);
        if (_order.Count > Kept)
        {
            EffectKey oldest = _order.Dequeue();
            _keys.Remove(oldest);
            _known = oldest with { Ordinal = oldest.Ordinal + 1 };
        }
    }

    /// <summary>True if the effect would be known, had it been asked for.</summary>
    public bool IsUnknown(EffectKey key) => !IsLenient && _begun && key.CompareTo(_known) >= 0 && !_keys.Contains(key);
}
