using System.Security.Cryptography;
using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>
/// An effect that was asked for and has no outcome yet: state. What it needs to be performed never changes, so other threads may read it.
/// </summary>
internal sealed class PendingEffect : DurableWaiter
{
    private readonly ulong _lsn;
    private readonly int _index;
    private readonly int _ordinal;
    private readonly ImmortalEffects _effects;
    private readonly int _method;
    private readonly byte[] _arguments;
    private readonly long _asked;
    private readonly IPendingCall? _cell;
    private readonly DurableCell? _cancelled;

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

    /// <summary>True once it is no longer pending. From any thread.</summary>
    public bool IsEnded => _isEnded;

    /// <summary>It is no longer pending: its cancellation has nothing to tell it.</summary>
    public void Forget()
    {
        _isEnded = true;
        _cancelled?.RemoveWaiter(this);
    }

    /// <summary>Its cancellation was asked for.</summary>
    protected internal override void Resume(DurableCell completed) => SavedOrigin.RuntimeOfTurn().Effects.Cancel(this);
}
