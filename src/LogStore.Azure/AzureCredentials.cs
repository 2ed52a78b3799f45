using Azure;
using Azure.Core;
using Azure.Data.Tables;
using Azure.Identity;
using Azure.Storage;

namespace Ambrosia.LogStore.Azure;

/// <summary>A secret in the forms that the services' clients take; clients that are open see it change.</summary>
internal sealed class AzureCredentials
{
    /// <summary>Takes the secret; with neither key nor signature, Entra ID is asked when a client needs it.</summary>
    /// <param name="account">Name of the storage account.</param>
    /// <param name="secret">What opens it.</param>
    public AzureCredentials(string account, AzureSecret secret)
    {
        if (secret.Key is { } key)
        {
            (BlobKey, TableKey) = (new StorageSharedKeyCredential(account, key), new TableSharedKeyCredential(account, key));
        }

        Signature = secret.Signature is { } signature ? new AzureSasCredential(signature) : null;
        Token = secret is { Key: null, Signature: null } ? new DefaultAzureCredential() : null;
    }

    /// <summary>The account's key for blobs; null when another kind of secret is given.</summary>
    public StorageSharedKeyCredential? BlobKey { get; }

    /// <summary>The account's key for tables; null when another kind of secret is given.</summary>
    public TableSharedKeyCredential? TableKey { get; }

    /// <summary>A shared access signature, for both; null when another kind of secret is given.</summary>
    public AzureSasCredential? Signature { get; }

    /// <summary>Entra ID, for both; null when a secret is given.</summary>
    public TokenCredential? Token { get; }

    /// <summary>Uses another secret of the same kind from now on; false when it is of another kind.</summary>
    public bool TryChange(AzureSecret secret)
    {
        if (secret.Key is null != BlobKey is null || secret.Signature is null != Signature is null)
        {
            return false;
        }

        BlobKey?.SetAccountKey(secret.Key!);
        TableKey?.SetAccountKey(secret.Key!);
        Signature?.Update(secret.Signature!);
        return true;
    }
}
