using System.Data.Common;
using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Runtime;

/// <summary>Which failures of an attempt may pass, so that it is worth another one.</summary>
internal static class TransientFailures
{
    public static bool Is(Exception error) => error switch
    {
        HttpRequestException http =>
            http.StatusCode is null or HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests or >= (HttpStatusCode)500,
        OperationCanceledException { InnerException: TimeoutException } => true, // How HttpClient says that its own limit has passed.
        IOException or SocketException or TimeoutException => true,
        DbException database => database.IsTransient,
        _ => false,
    };
}
