using Ambrosia.Protocol.Ingress;
using Grpc.Core;
using Grpc.Net.Client;

namespace Ambrosia.Client;

/// <summary>The connections to one host of an address, and its stream of calls. Used by several threads at once.</summary>
/// <param name="channel">The connections.</param>
/// <param name="time">Clock.</param>
internal sealed class Connections(GrpcChannel channel, TimeProvider time) : IDisposable
{
    // A server that is replaced may have streams then.
    private static readonly TimeSpan s_alone = TimeSpan.FromMinutes(1);
    private readonly object _gate = new();
    private CallStream? _stream;
    private long? _refused;

    /// <summary>Makes requests.</summary>
    public CallInvoker Invoker { get; } = channel.CreateCallInvoker();

    /// <summary>When they were opened, by the clock.</summary>
    public long Opened { get; } = time.GetTimestamp();

    /// <summary>Requests that use them. Only who takes them and gives them back looks at it, under a lock.</summary>
    public int Calls { get; set; }

    /// <summary>The stream for a call that shows this token; null if calls go alone here.</summary>
    public CallStream? StreamFor(string? token, Metadata head)
    {
        lock (_gate)
        {
            if (_refused is { } refused && time.GetElapsedTime(refused) < s_alone)
            {
                return null;
            }

            if (_stream is null || !_stream.Serves(token))
            {
                _stream?.Leave();
                _refused = null;
                _stream = new CallStream(
                    Invoker.AsyncDuplexStreamingCall(IngressMethod.Calls, null, new CallOptions(head)), token, time);
            }

            return _stream;
        }
    }

    /// <summary>For a while calls go alone.</summary>
    public void RefusesStreams()
    {
        lock (_gate)
        {
            _refused ??= time.GetTimestamp();
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
}
