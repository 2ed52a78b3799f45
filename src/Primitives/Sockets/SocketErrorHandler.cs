using System.Net.Http;
using System.Net.Sockets;

namespace Ambrosia.Primitives.Sockets;

/// <summary>
/// Lets no bare <see cref="SocketException"/> out of an HTTP client: <see cref="SocketsHttpHandler"/> does so if a connection is reset
/// while it is made. It is an <see cref="HttpRequestException"/> then, as all that else goes wrong with a connection.
/// </summary>
/// <param name="inner">Makes the connections.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SocketErrorHandler(HttpMessageHandler inner) : DelegatingHandler(inner)
{
    /// <inheritdoc/>
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            return await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (SocketException error)
        {
            throw new HttpRequestException(HttpRequestError.ConnectionError, error.Message, error);
        }
    }

    /// <inheritdoc/>
    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            return base.Send(request, cancellationToken);
        }
        catch (SocketException error)
        {
            throw new HttpRequestException(HttpRequestError.ConnectionError, error.Message, error);
        }
    }
}
