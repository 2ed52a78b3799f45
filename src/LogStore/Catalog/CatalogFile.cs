using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Catalog;

/// <summary>
/// One entry's file: a JSON object whose <c>crc32c</c> (8 hexadecimal digits) is the checksum of the UTF-8 bytes of the value of
/// <c>row</c>, as they stand in the file.
/// </summary>
public static partial class CatalogFile
{
    public const int MaxSize = 1 << 20;

    public static byte[] Encode(CatalogEntry entry, ulong version)
    {
        byte[] row = JsonSerializer.SerializeToUtf8Bytes(new Row(version, entry), RowContext.Default.Row);
        return [.. Encoding.UTF8.GetBytes(
            string.Create(CultureInfo.InvariantCulture, $"{{\"crc32c\":\"{Crc32C.Compute(row):x8}\",\"row\":")), .. row, .. "}\n"u8];
    }

    /// <summary>Null when the bytes are no undamaged entry of this instance.</summary>
    public static (CatalogEntry Entry, ulong Version)? TryDecode(byte[] bytes, string instance)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(bytes);
            if (!document.RootElement.TryGetProperty("crc32c", out JsonElement crc)
                || !document.RootElement.TryGetProperty("row", out JsonElement rowElement) || crc.ValueKind != JsonValueKind.String)
            {
                return null;
            }

            byte[] text = Encoding.UTF8.GetBytes(rowElement.GetRawText());
            if (crc.GetString() != Crc32C.Compute(text).ToString("x8", CultureInfo.InvariantCulture))
            {
                return null;
            }

            Row? row = JsonSerializer.Deserialize(text, RowContext.Default.Row);
            return row?.Entry is { } entry && entry.Instance == instance
                && (entry.Replicas ?? []).All(static replica => replica is not null) ? (Complete(entry), row.Version) : null;
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>What an entry leaves out is empty: the generated reader gives null for it instead of the property's default.</summary>
    private static CatalogEntry Complete(CatalogEntry entry) => entry with
    {
        AppVersion = entry.AppVersion ?? "",
        PeerAddress = entry.PeerAddress ?? "",
        IngressAddress = entry.IngressAddress ?? "",
        InstanceId = entry.InstanceId ?? "",
        Replicas = [.. (entry.Replicas ?? [])
            .Select(static replica => replica with { Address = replica.Address ?? "", Role = replica.Role ?? "" })],
    };

    internal sealed record Row(ulong Version, CatalogEntry Entry);

    [JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
    [JsonSerializable(typeof(Row))]
    private sealed partial class RowContext : JsonSerializerContext;
}
