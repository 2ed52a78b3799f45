using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>
/// The codec of one static type. Emitted code and generic collections call the static methods, in which the JIT leaves one branch;
/// <see cref="Codecs.Of"/> must have prepared the type before.
/// </summary>
internal sealed class Codec<T> : Codec
{
    private static ValueCodec<T>? s_value;

    internal Codec(ValueCodec<T>? value)
    {
        Value = value;
        s_value = value;
    }

    public override Type Type => typeof(T);

    /// <summary>The codec of a value type; null for a reference type.</summary>
    public ValueCodec<T>? Value { get; }

    public override int SmallestSize => s_value?.SmallestSize ?? 1;

    public static void Write(WriteSession session, ref T value)
    {
        if (!typeof(T).IsValueType)
        {
            session.WriteReference(value);
        }
        else if (typeof(T) == typeof(int))
        {
            session.WriteNumber(Unsafe.As<T, int>(ref value));
        }
        else if (typeof(T) == typeof(long))
        {
            session.WriteNumber(Unsafe.As<T, long>(ref value));
        }
        else
        {
            s_value!.Write(session, ref value);
        }
    }

    public static void Read(ReadSession session, ref T value)
    {
        if (!typeof(T).IsValueType)
        {
            object? found = session.ReadReference();
            // The check of every reference: a reader that has drifted must not put an object where it cannot be.
            value = found is null || (found is T && found is not MissingObject) ? Unsafe.As<object?, T>(ref found)
                : (T)session.Mismatch(found, typeof(T))!;
        }
        else if (typeof(T) == typeof(int))
        {
            Unsafe.As<T, int>(ref value) = session.ReadNumber<int>();
        }
        else if (typeof(T) == typeof(long))
        {
            Unsafe.As<T, long>(ref value) = session.ReadNumber<long>();
        }
        else
        {
            s_value!.Read(session, ref value);
        }
    }

    public override void WriteWire(WriteSession session)
    {
        if (s_value is null)
        {
            session.WriteVarint(StateFormat.ReferenceWire);
        }
        else
        {
            session.WriteValueWire(typeof(T), s_value);
        }
    }

    public override bool Accepts(Wire wire) => s_value is null ? wire.IsReference : wire.Type?.Resolved == typeof(T);

    public override string? Match(SavedType saved) => Value?.Match(saved);

    public override void WriteBoxed(WriteSession session, object? value)
    {
        T typed = (T)value!;
        Write(session, ref typed);
    }

    public override object? ReadBoxed(ReadSession session)
    {
        T value = default!;
        Read(session, ref value);
        return value;
    }
}
