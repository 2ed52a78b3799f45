using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>A stream of calls has failed, and not one call on it: what it says is no answer to any of them.</summary>
internal sealed class StreamFailedException(RpcException error) : Exception(error.Message, error)
{
    /// <summary>Whether there are no streams there. No call of this one has run.</summary>
    public bool IsUnknown => error.StatusCode == StatusCode.Unimplemented;

    /// <summary>Whether calls go better alone for a while: it is no matter of the host, of the way to it, or of the token.</summary>
    public bool IsOfStreams =>
        error.StatusCode is not (StatusCode.Unavailable or StatusCode.Unauthenticated or StatusCode.Cancelled);

    /// <summary>What it is to each call. If it is of streams alone, then that the call may have arrived, and goes again.</summary>
    public RpcException ForOne() => IsOfStreams
        ? new RpcException(new Status(StatusCode.Unavailable, error.Status.Detail, error))
        : new RpcException(error.Status, error.Trailers);
}
