using System.Collections.Concurrent;
using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>The types of which there are awakeables in this process: generated code names each before any handler runs.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class AwakeableTypes
{
    private static readonly ConcurrentDictionary<Type, AwakeableType> s_known = [];

    /// <summary>Names one. What was named first stays.</summary>
    /// <param name="id">What stands for it in the ids of awakeables.</param>
    /// <param name="name">Its full name.</param>
    /// <param name="shape">How its values are sent, as JSON for machines: <c>"type":…,"types":[…]</c>.</param>
    public static void Add<T, TFormatter>(int id, string name, string shape)
        where TFormatter : struct, IFormatter<T> => s_known.TryAdd(typeof(T), new AwakeableType<T, TFormatter>((uint)id, name, shape));

    /// <summary>What is known of a type.</summary>
    /// <exception cref="InvalidOperationException">Nothing is.</exception>
    internal static AwakeableType<T> Required<T>() =>
        s_known.TryGetValue(typeof(T), out AwakeableType? type) ? (AwakeableType<T>)type : throw new InvalidOperationException(
            $"Nobody could complete an Awakeable<{typeof(T).Name}>: the code generator found no call with this type. Write the type "
            + "itself, not a type parameter, in a project that refers to the package Ambrosia.");

    /// <summary>A type's name, for people.</summary>
    internal static string NameOf(Type type) =>
        s_known.TryGetValue(type, out AwakeableType? known) ? known.Name : type.FullName ?? type.Name;

    /// <summary>A value as it completes an awakeable.</summary>
    /// <exception cref="InvalidOperationException">Generated code has named no awakeables of this type.</exception>
    public static byte[] Encode<T>(T value)
    {
        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(bytes);
        Required<T>().Write(ref writer, value);
        writer.Flush();
        return bytes.WrittenSpan.ToArray();
    }

    /// <summary>Adds them to the shapes of an interface.</summary>
    internal static string AddTo(string shapes)
    {
        AwakeableType[] types = [.. s_known.Values.OrderBy(static type => type.Name, StringComparer.Ordinal)];
        return types.Length == 0 || !shapes.EndsWith('}') ? shapes
            : $"{shapes[..^1]},\"awakeables\":[{string.Join(',', types.Select(Describe))}]}}";

        static string Describe(AwakeableType type) =>
            $"{{\"id\":{type.Id.ToString(System.Globalization.CultureInfo.InvariantCulture)},{type.Shape}}}";
    }
}
