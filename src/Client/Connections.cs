using System.Diagnostics;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;
using Grpc.Net.Client;

namespace Ambrosia.Client;

/// <summary>The connections to one host of an address, and its stream of calls. Used by several threads at once.</summary>
/// <param name="channel">The connections.</param>
/// <param name="time">Clock.</param>
internal sealed class Connections(GrpcChannel channel, TimeProvider time) : IDisposable
{
    private readonly object _gate = new();
    private CallStream? _stream;

    /// <summary>Makes requests.</summary>
    public CallInvoker Invoker { get; } = channel.CreateCallInvoker();

    /// <summary>The stream for a call that shows this token.</summary>
    public CallStream StreamFor(string? token)
    {
        lock (_gate)
        {
            if (_stream is null || !_stream.Serves(token))
            {
                _stream?.Leave();
                _stream = Open(token);
            }

            return _stream;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _stream?.Dispose();
        }

        channel.Dispose();
    }

    // It is nobody's: it does not go on with the context and the trace of the caller that happens to need it first.
    private CallStream Open(string? token)
    {
        Activity? current = Activity.Current;
        AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        try
        {
            Activity.Current = null;
            var options = new CallOptions(AddressChannel.HeadWith(token));
            return new CallStream(Invoker.AsyncDuplexStreamingCall(IngressMethod.Calls, null, options), token, time);
        }
        finally
        {
            flow?.Undo();
            Activity.Current = current;
        }
    }
}
