using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Ambrosia.Protocol;

namespace Ambrosia.Client;

/// <summary>Values as the JSON that an address for calls takes: docs/guide/calls-from-outside.md.</summary>
internal static class AwakeableJson
{
    private static readonly JsonSerializerOptions s_options = new()
    {
        IncludeFields = true, // They are members there, too.
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Converters = { new BigIntegerConverter() }, // It would write its properties.
    };

    /// <summary>Writes one.</summary>
    /// <exception cref="JsonException">It holds itself.</exception>
    /// <exception cref="NotSupportedException">System.Text.Json cannot write it.</exception>
    public static byte[] Of<T>(T value) =>
        JsonSerializer.SerializeToUtf8Bytes(value, value?.GetType() ?? typeof(T), s_options); // What it has too much is refused there.

    /// <summary>Writes why one is rejected; null for no reason.</summary>
    /// <exception cref="ArgumentException">It is too long.</exception>
    public static byte[] OfReason(string? reason) =>
        reason is not null && Encoding.UTF8.GetByteCount(reason) > AwakeableCompletion.MaxReason
        ? throw new ArgumentException($"A reason has at most {AwakeableCompletion.MaxReason} bytes of UTF-8.", nameof(reason))
        : Of(reason is null ? new JsonObject() : new JsonObject { ["reason"] = reason });

    private sealed class BigIntegerConverter : JsonConverter<BigInteger>
    {
        public override BigInteger Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            throw new NotSupportedException("Values of awakeables are only written.");

        public override void Write(Utf8JsonWriter writer, BigInteger value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value.ToString(CultureInfo.InvariantCulture));
    }
}
