using System.Globalization;
using System.Text;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a watched query answers now. How it is written is made once, for all who watch.</summary>
/// <param name="Version">Grows with each answer that differs from the one before; 0 before the first.</param>
/// <param name="Record">The last record with messages after which it is known to be true: what clients are told.</param>
/// <param name="Known">The last record after which it is known to be true.</param>
/// <param name="Result">The answer, as the app gives it.</param>
/// <param name="Method">The query.</param>
internal sealed record WatchedValue(long Version, ulong Record, ulong Known, ReadOnlyMemory<byte> Result, MethodShape Method)
{
    private byte[]? _json;
    private Tuple<ulong, byte[]>? _event; // One reference, as several threads make and read it.

    /// <summary>Why there will be no other one; null while there may.</summary>
    public Problem? End { get; init; }

    /// <summary>The answer as JSON.</summary>
    public byte[] Json => _json ??= JsonDecoder.Value(Result.Span, Method.Result);

    /// <summary>As an event.</summary>
    public byte[] ToEvent()
    {
        if (_event is not { } made || made.Item1 != Record)
        {
            byte[] head = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"id: {Record}\ndata: "));
            _event = made = Tuple.Create<ulong, byte[]>(Record, [.. head, .. Json, (byte)'\n', (byte)'\n']);
        }

        return made.Item2;
    }
}
