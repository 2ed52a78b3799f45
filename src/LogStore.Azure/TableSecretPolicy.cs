using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Ambrosia.LogStore.Azure;

/// <summary>Shows a key or a signature to the table service: the signature in the query, the key by signing date and path ("SharedKeyLite").</summary>
internal sealed class TableSecretPolicy(string account, Func<AzureSecret> secret) : HttpPipelineSynchronousPolicy
{
    public override void OnSendingRequest(HttpMessage message)
    {
        AzureSecret shown = secret();
        if (shown.Signature is { } signature)
        {
            string query = message.Request.Uri.Query.TrimStart('?');
            message.Request.Uri.Query = query.Length == 0 ? signature : $"{query}&{signature}";
            return;
        }

        // The service compares it with its own clock, and a date is no part of what is replayed.
        string date = message.Request.Headers.TryGetValue("x-ms-date", out string? given) ? given : throw new InvalidOperationException("A request without date.");
        string signed = string.Create(CultureInfo.InvariantCulture, $"{date}\n/{account}{message.Request.Uri.ToUri().AbsolutePath}");
        byte[] hash = HMACSHA256.HashData(Convert.FromBase64String(shown.Key!), Encoding.UTF8.GetBytes(signed));
        message.Request.Headers.SetValue("Authorization", $"SharedKeyLite {account}:{Convert.ToBase64String(hash)}");
    }
}
