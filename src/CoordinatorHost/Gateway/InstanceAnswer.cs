using System.Net.Http.Headers;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What an instance has said. The first bytes of its body are here, the rest comes as it is read.</summary>
/// <param name="response">The response.</param>
/// <param name="first">The first bytes of its body.</param>
/// <param name="rest">Where the rest comes from; null if there is none.</param>
internal sealed class InstanceAnswer(HttpResponseMessage response, byte[] first, Stream? rest) : IDisposable
{
    /// <summary>What a refusal's code says of the instance; null if it says something of the call alone.</summary>
    /// <param name="code">The code.</param>
    /// <param name="isUnauthorized">Whether the status of HTTP says that somebody is not let in.</param>
    public static TryOutcome? OutcomeOf(string code, bool isUnauthorized) =>
        code == IngressErrors.Unavailable.Id ? TryOutcome.Unavailable
            : code == IngressErrors.OtherInstance.Id ? TryOutcome.OtherInstance
            : code == IngressErrors.Unauthenticated.Id || isUnauthorized ? TryOutcome.NotTrusted
            : code == IngressErrors.NotKnownInTime.Id ? TryOutcome.Pending
            : null;

    /// <summary>Status of HTTP.</summary>
    public int Status => (int)response.StatusCode;

    /// <summary>The first bytes of the body: all of them unless there is a rest.</summary>
    public ReadOnlyMemory<byte> First => first;

    /// <summary>The rest; null if there is none.</summary>
    public Stream? Rest => rest;

    /// <summary>Headers of the response and of its content.</summary>
    public IEnumerable<KeyValuePair<string, IEnumerable<string>>> Headers => response.Headers.Concat(response.Content.Headers);

    /// <summary>What stands after the body, once that has been read.</summary>
    public HttpResponseHeaders Trailers => response.TrailingHeaders;

    /// <summary>A header or trailer; empty if there is none.</summary>
    public string Find(string name) =>
        response.Headers.TryGetValues(name, out IEnumerable<string>? values)
        || response.TrailingHeaders.TryGetValues(name, out values) ? string.Join(',', values) : "";

    /// <inheritdoc/>
    public void Dispose() => response.Dispose();
}
