using System.Buffers.Binary;
using System.Diagnostics;

namespace Ambrosia.Primitives.Telemetry;

/// <summary>
/// The trace and the span that stand for one call, derived from what the log says of it: caller and callee find the same ones, and so does
/// each process that executes the message again. Nothing of it is sent.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct CallId
{
    private const ulong FnvOffset = 14695981039346656037;
    private const ulong FnvPrime = 1099511628211;
    private readonly ulong _seed;
    private readonly ulong _high;

    private CallId(ulong seed, ulong number)
    {
        _seed = seed;
        // The sampler reads the sign away: it is never set here, so that both rules agree on every id.
        _high = Mix(seed ^ Mix(number + 0x9E3779B97F4A7C15)) & long.MaxValue;
    }

    /// <summary>The awaited call with this number of the instance with this name.</summary>
    public static CallId OfCall(ReadOnlySpan<byte> caller, long number) => new(Hash(FnvOffset, caller), (ulong)number);

    /// <summary>The message at this position of a log, of which nobody but its instance knows more.</summary>
    /// <param name="instance">What <see cref="SeedOf"/> gave for the instance.</param>
    /// <param name="lsn">Its record.</param>
    /// <param name="index">Its index in the record.</param>
    public static CallId OfMessage(ulong instance, ulong lsn, int index) => new(instance + ((ulong)(uint)index << 40), lsn);

    /// <summary>What stands for an instance in the ids of its messages.</summary>
    public static ulong SeedOf(Guid instanceId)
    {
        Span<byte> id = stackalloc byte[16];
        instanceId.TryWriteBytes(id);
        return Hash(FnvOffset, id);
    }

    /// <summary>The bound below which ids lie that belong to the share, for <see cref="IsBelow"/>.</summary>
    public static ulong BoundOf(double ratio) => ratio >= 1 ? ulong.MaxValue : (ulong)(ratio * long.MaxValue);

    /// <summary>Whether this call is among the share that is traced, by the rule of OpenTelemetry's TraceIdRatioBased sampler.</summary>
    public bool IsBelow(ulong bound) => _high < bound;

    /// <summary>The call as a context: parent of the callee's span, link of the caller's.</summary>
    public ActivityContext ToContext()
    {
        Span<byte> trace = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(trace, _high);
        ulong low = Mix(_high + _seed) | 1; // Neither id may be zero.
        BinaryPrimitives.WriteUInt64BigEndian(trace[8..], low);
        Span<byte> span = stackalloc byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(span, Mix(low) | 1);
        return new ActivityContext(
            ActivityTraceId.CreateFromBytes(trace), ActivitySpanId.CreateFromBytes(span), ActivityTraceFlags.Recorded, isRemote: true);
    }

    private static ulong Hash(ulong hash, ReadOnlySpan<byte> bytes)
    {
        foreach (byte each in bytes)
        {
            hash = (hash ^ each) * FnvPrime;
        }

        return hash;
    }

    // The finalizer of SplitMix64: every bit of the input moves every bit of the output.
    private static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
}
