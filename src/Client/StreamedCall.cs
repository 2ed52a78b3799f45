using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>A call on a stream, from when it is made until nobody waits for it.</summary>
internal sealed class StreamedCall
{
    private readonly TaskCompletionSource<byte[]?> _reply = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly bool _sends;
    private readonly uint _wait;
    private readonly string _instanceId = "";
    private readonly bool _isOver;
    private IngressCallRequest? _call;

    /// <summary>A call that waits to be written.</summary>
    public StreamedCall(ulong id, IngressCallRequest call, bool sends, uint wait, string instanceId = "") =>
        (Id, _call, _sends, _wait, _instanceId) = (id, call, sends, wait, instanceId);

    private StreamedCall(ulong id) => (Id, _isOver) = (id, true);

    /// <summary>Its number on the stream.</summary>
    public ulong Id { get; }

    /// <summary>The reply; null if the stream has come to its end in good order without one.</summary>
    public Task<byte[]?> Reply => _reply.Task;

    /// <summary>What tells the server that nobody waits for a call any more.</summary>
    public static StreamedCall NobodyWaitsFor(ulong id) => new(id);

    /// <summary>Lets go of it, if it has not been written; false if it has.</summary>
    public bool TryDrop() => Interlocked.Exchange(ref _call, null) is not null;

    /// <summary>Writes it, unless it was dropped.</summary>
    public void WriteTo(IngressBatchWriter batch)
    {
        if (_isOver)
        {
            batch.Add(Id, null, false, 0);
        }
        else if (Interlocked.Exchange(ref _call, null) is { } call)
        {
            batch.Add(Id, call, _sends, _wait, _instanceId);
        }
    }

    /// <summary>Its reply is there.</summary>
    public void Tell(in IngressStreamedReply told)
    {
        if (told.Reply is { } bytes)
        {
            _reply.TrySetResult(bytes);
        }
        else
        {
            Fail(told.Refusal is { } refusal ? ErrorOf(refusal)
                : new RpcException(new Status(StatusCode.Internal, "a reply that says nothing")));
        }
    }

    /// <summary>Its stream has ended.</summary>
    /// <param name="failure">How; null for in good order.</param>
    public void End(RpcException? failure)
    {
        if (failure is null)
        {
            _reply.TrySetResult(null);
        }
        else
        {
            Fail(new StreamFailedException(failure));
        }
    }

    // Its caller may have gone just now: then nobody else looks at the error.
    private void Fail(Exception error)
    {
        _reply.TrySetException(error);
        _ = _reply.Task.Exception;
    }

    private static RpcException ErrorOf(IngressRefusal refusal)
    {
        var trailers = new Metadata
        {
            { IngressService.CodeTrailer, refusal.Code },
            { IngressService.FinalTrailer, refusal.IsFinal ? "true" : "false" },
        };
        if (refusal.Instance.Length > 0)
        {
            trailers.Add(IngressService.InstanceTrailer, refusal.Instance);
        }

        if (refusal.InstanceId.Length > 0)
        {
            trailers.Add(IngressService.InstanceIdHeader, refusal.InstanceId);
        }

        return new RpcException(new Status((StatusCode)refusal.Status, refusal.Message), trailers);
    }
}
