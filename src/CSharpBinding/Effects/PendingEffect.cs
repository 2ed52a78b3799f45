using System.Security.Cryptography;
using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>
/// An effect that was asked for and has no outcome yet: state. What it needs to be performed never
/// changes, so other threads may read it; what is counted changes in turns.
/// </summary>
internal sealed class PendingEffect : DurableWaiter
{
    /// <summary>Attempts in a row that leave their process alive, after which an effect is like any other again.</summary>
    internal const int AcquittedAfter = 10;

    // One that others were performed beside, and three alone.
    private const int MostDeaths = 4;
    private const int SuspectLives = 3;
    private readonly ulong _lsn;
    private readonly int _index;
    private readonly int _ordinal;
    private readonly ImmortalEffects _effects;
    private readonly int _method;
    private readonly byte[] _arguments;
    private readonly long _asked;
    private readonly IPendingCall? _cell;
    private readonly DurableCell? _cancelled;
    private int _lives;
    private int _deaths;
    private int _survived;
    private bool _isMarked;

    [NotSaved]
    private volatile bool _isEnded;

    public PendingEffect(EffectKey key, ImmortalEffects effects, int method, byte[] arguments, long asked, IPendingCall? cell)
    {
        (_lsn, _index, _ordinal) = (key.Lsn, key.Index, key.Ordinal);
        _effects = effects;
        _method = method;
        _arguments = arguments;
        _asked = asked;
        _cell = cell;
        _cancelled = effects.Cancellation?.Cell;
        _cancelled?.AddWaiter(this);
    }

    public EffectKey Key => new(_lsn, _index, _ordinal);

    public EffectContract Contract => _effects.GetContract();

    public int MethodId => _method;

    /// <summary>The method; a build without it does not load a state in which it is pending.</summary>
    public EffectMethod Method =>
        Contract.Find(_method) ?? throw new InvalidOperationException($"{Contract.InterfaceName} has no method with id {_method}.");

    public byte[] Arguments => _arguments;

    /// <summary>Log time of the message that asked for it.</summary>
    public DateTimeOffset Asked => new(_asked, TimeSpan.Zero);

    /// <summary>Waits for the outcome; null if nobody does.</summary>
    public IPendingCall? Cell => _cell;

    /// <summary>Tells two effects under one key apart: eight bytes of the SHA-256 of interface, method and arguments.</summary>
    public ulong Hash()
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(Encoding.UTF8.GetBytes(Contract.InterfaceName));
        Span<byte> method = stackalloc byte[5];
        method[0] = 0; // Ends the name.
        BinaryPrimitives.WriteInt32LittleEndian(method[1..], _method);
        hash.AppendData(method);
        hash.AppendData(_arguments);
        Span<byte> result = stackalloc byte[32];
        hash.GetHashAndReset(result);
        return BinaryPrimitives.ReadUInt64LittleEndian(result);
    }

    /// <summary>Processes that began with it pending and did not stop by themselves, the present one included.</summary>
    public int Lives => _lives;

    /// <summary>Attempts that ended with their process, one that runs included (docs/internals/effect-rules.md E20).</summary>
    public int Deaths => _deaths;

    /// <summary>True if it may be what ends its processes: each attempt is logged before it begins.</summary>
    public bool IsSuspect => _lives >= SuspectLives || _deaths > 0;

    /// <summary>True if it ended one process too many: no attempt begins before a person or another build says so.</summary>
    public bool IsHeld => !_isMarked && _deaths >= MostDeaths;

    /// <summary>A process acts from here on.</summary>
    /// <param name="isOther">False if it is the one that did before: it was only connected again.</param>
    /// <param name="isRebuilt">Whether it is of another build.</param>
    public void LifeBegins(bool isOther, bool isRebuilt)
    {
        if (!isOther)
        {
            Unmark();
        }
        else if (isRebuilt)
        {
            Acquit();
        }

        _survived = _isMarked ? 0 : _survived;
        _isMarked = false;
        _lives += isOther ? 1 : 0;
    }

    /// <summary>The process stopped by itself: what it began counts for nothing.</summary>
    public void LifeEnds()
    {
        Unmark();
        _lives = Math.Max(0, _lives - 1);
    }

    /// <summary>An attempt begins.</summary>
    public void Mark()
    {
        _deaths += _isMarked ? 0 : 1;
        _isMarked = true;
    }

    /// <summary>It ended, and its process did not.</summary>
    public void Clear()
    {
        Unmark();
        _lives = 0;
        if (++_survived >= AcquittedAfter)
        {
            Acquit();
        }
    }

    /// <summary>What was counted so far counts no longer.</summary>
    public void Acquit()
    {
        _lives = _deaths = _survived = 0;
        _isMarked = false;
    }

    /// <summary>True once it is no longer pending. From any thread.</summary>
    public bool IsEnded => _isEnded;

    /// <summary>It is no longer pending: its cancellation has nothing to tell it.</summary>
    public void Forget()
    {
        _isEnded = true;
        _cancelled?.RemoveWaiter(this);
    }

    /// <summary>Its cancellation was asked for.</summary>
    protected internal override void Resume(DurableCell completed) => EffectTable.OfTurn().Cancel(this);

    private void Unmark()
    {
        _deaths -= _isMarked ? 1 : 0;
        _isMarked = false;
    }
}
