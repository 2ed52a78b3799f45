using System.Collections.Concurrent;
using System.Collections.Immutable;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Ambrosia.Runtime;

/// <summary>The codec of every static type that a field or an element may have.</summary>
internal static class Codecs
{
    private static readonly ConcurrentDictionary<Type, Codec> s_codecs = new();

    /// <summary>The codec of a type.</summary>
    /// <exception cref="UnsavableTypeException">Values of the type cannot be saved.</exception>
    public static Codec Of(Type type)
    {
        if (s_codecs.TryGetValue(type, out Codec? known))
        {
            return known;
        }
        if (type.IsPointer || type.IsFunctionPointer || type.IsByRefLike || type == typeof(nint) || type == typeof(nuint))
        {
            throw new UnsavableTypeException(type, "it refers to memory of this process.");
        }
        object? value = type.IsValueType ? CreateValueCodec(type) : null;
        Codec codec = (Codec)Activator.CreateInstance(
            typeof(Codec<>).MakeGenericType(type), BindingFlags.Instance | BindingFlags.NonPublic, null, [value], null)!;
        return s_codecs.GetOrAdd(type, codec);
    }

    private static object CreateValueCodec(Type type)
    {
        if (TypeNames.TryGetPrimitive(type, out _))
        {
            return PrimitiveCodecs.Of(type);
        }
        if (type.IsEnum)
        {
            Type number = type.GetEnumUnderlyingType();
            return Make(typeof(EnumCodec<,>), [type, number], Of(number));
        }
        if (Nullable.GetUnderlyingType(type) is { } inner)
        {
            return Make(typeof(NullableCodec<>), [inner], Of(inner));
        }
        if (type.IsGenericType && CreatePairCodec(type, type.GetGenericTypeDefinition(), type.GetGenericArguments()) is { } pair)
        {
            return pair;
        }
        if (TypeNames.IsFramework(type.Assembly) && !KnownTypes.IsFieldwiseStruct(type))
        {
            throw new UnsavableTypeException(type, KnownTypes.Advice(type));
        }
        return Make(typeof(StructCodec<>), [type], FieldSet.Of(type));
    }

    private static object? CreatePairCodec(Type type, Type definition, Type[] arguments)
    {
        string? factory = definition == typeof(KeyValuePair<,>) ? nameof(KeyValuePair)
            : definition == typeof(ArraySegment<>) ? nameof(Segment)
            : definition == typeof(Memory<>) ? nameof(Memory)
            : definition == typeof(ReadOnlyMemory<>) ? nameof(ReadOnlyMemory)
            : definition == typeof(ImmutableArray<>) ? nameof(ImmutableArray)
            : null;
        return factory is null || type.ContainsGenericParameters
            ? null
            : typeof(Codecs).GetMethod(factory, BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(arguments)
            .Invoke(null, null);
    }

    private static object Make(Type definition, Type[] arguments, params object[] parts) =>
        Activator.CreateInstance(definition.MakeGenericType(arguments), parts)!;

    private static Codec<T> Typed<T>() => (Codec<T>)Of(typeof(T));

    private static PairCodec<KeyValuePair<TKey, TValue>, TKey, TValue> KeyValuePair<TKey, TValue>() =>
        new(Typed<TKey>(), Typed<TValue>(), static pair => (pair.Key, pair.Value), static (key, value) => new(key, value));

    private static PairCodec<ArraySegment<T>, T[]?, long> Segment<T>() =>
        new(Typed<T[]?>(), Typed<long>(), static segment => (segment.Array, Pack(segment.Offset, segment.Count)), static (array, place) =>
            Slice(array, place));

    private static PairCodec<Memory<T>, T[]?, long> Memory<T>() => new(
        Typed<T[]?>(),
        Typed<long>(),
        static memory => Parts<T>(memory),
        static (array, place) => Slice(array, place));

    private static PairCodec<ReadOnlyMemory<T>, object?, long> ReadOnlyMemory<T>() => new(
        Typed<object?>(),
        Typed<long>(),
        static memory => MemoryMarshal.TryGetString(CharsOf(memory), out string? text, out int start, out int length)
            ? (text, Pack(start, length))
            : Parts(memory),
        static (source, place) => source is string text
            ? (ReadOnlyMemory<T>)(object)text.AsMemory((int)(place >> 32), (int)place)
            : Slice((T[]?)source, place));

    private static PairCodec<ImmutableArray<T>, T[]?, byte> ImmutableArray<T>() => new(
        Typed<T[]?>(),
        Typed<byte>(),
        static array => (ImmutableCollectionsMarshal.AsArray(array), 0),
        static (array, _) => ImmutableCollectionsMarshal.AsImmutableArray(array));

    private static ReadOnlyMemory<char> CharsOf<T>(ReadOnlyMemory<T> memory) => memory is ReadOnlyMemory<char> chars ? chars : default;

    private static (T[]?, long) Parts<T>(ReadOnlyMemory<T> memory) => MemoryMarshal.TryGetArray(memory, out ArraySegment<T> segment)
        ? (segment.Array, Pack(segment.Offset, segment.Count))
        : throw new UnsavableTypeException(typeof(ReadOnlyMemory<T>), "it refers to memory that is not an array.");

    private static long Pack(int offset, int count) => ((long)offset << 32) | (uint)count;

    private static ArraySegment<T> Slice<T>(T[]? array, long place) =>
        array is null ? default : new ArraySegment<T>(array, (int)(place >> 32), (int)place);
}
