using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;

namespace Ambrosia.LogStore.Azure;

/// <summary>What opens a storage account: its key, or a shared access signature; with neither, Entra ID is asked.</summary>
/// <param name="Key">The account's key in base64; null when there is none.</param>
/// <param name="Signature">A shared access signature without question mark; null when there is none.</param>
internal sealed record AzureSecret(string? Key, string? Signature)
{
    /// <summary>The secret as it is given now: file first, then connection string, signature, key.</summary>
    public static AzureSecret Read(StoreSecret secret, string location)
    {
        string? text = secret.Read("AZURE_STORAGE_CONNECTION_STRING") ?? secret.Read("AZURE_STORAGE_SAS_TOKEN")
            ?? secret.Read("AZURE_STORAGE_KEY");
        return text is null ? new AzureSecret(null, null) : Parse(text) ?? throw new LogStoreException(StoreErrors.StoreRefuses,
            "the store's secret is neither a connection string with a key or signature, nor a signature, nor a key", location,
            "nothing was touched", "copy it from the storage account's page once more");
    }

    /// <summary>Says nothing of it: records print their members.</summary>
    public override string ToString() =>
        Key is not null ? "an account's key" : Signature is not null ? "a shared access signature" : "Entra ID";

    private static AzureSecret? Parse(string text)
    {
        if (text.Contains("AccountKey=", StringComparison.OrdinalIgnoreCase)
            || text.Contains("SharedAccessSignature=", StringComparison.OrdinalIgnoreCase))
        {
            string? signature = PartOf(text, "SharedAccessSignature");
            return signature is null ? OfKey(PartOf(text, "AccountKey")) : new AzureSecret(null, signature.TrimStart('?'));
        }

        return text.Contains("sig=", StringComparison.Ordinal) ? new AzureSecret(null, text.TrimStart('?')) : OfKey(text);
    }

    private static AzureSecret? OfKey(string? key) => key is not null
        && Convert.TryFromBase64String(key, new byte[key.Length], out int written) && written > 0 ? new AzureSecret(key, null) : null;

    private static string? PartOf(string text, string name) => text.Split(';', StringSplitOptions.RemoveEmptyEntries)
        .Where(part => part.StartsWith(name + "=", StringComparison.OrdinalIgnoreCase)).Select(part => part[(name.Length + 1)..])
        .FirstOrDefault();
}
