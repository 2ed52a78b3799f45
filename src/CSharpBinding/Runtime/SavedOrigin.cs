using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>A <see cref="CallOrigin"/> as it stands in a checkpoint: by names, valid on any connection.</summary>
internal struct SavedOrigin
{
    private byte _kind;
    private int _methodId;
    private string? _caller;
    private long _number;
    private ulong _incarnation;

    public static SavedOrigin From(in CallOrigin origin) => new()
    {
        _kind = (byte)origin.Kind,
        _methodId = origin.MethodId,
        _caller = origin.Caller?.Name,
        _number = origin.Number,
        _incarnation = origin.Incarnation,
    };

    public static ImmortalRuntime RuntimeOfTurn() => (ImmortalRuntime)(Turn.Current?.Owner
        ?? throw new InvalidOperationException("A handler completed outside of its immortal's turn."));

    public readonly CallOrigin Restore(ImmortalRuntime runtime)
    {
        Destination? caller = _caller is null ? null : runtime.Destinations.Get(_caller);
        return new CallOrigin((RpcKind)_kind, _methodId, caller, _number, _incarnation);
    }
}
