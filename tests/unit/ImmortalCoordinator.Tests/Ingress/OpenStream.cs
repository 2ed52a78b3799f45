using Ambrosia.V1;
using Grpc.Core;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>A stream of calls, by a client that is generated from the published .proto.</summary>
internal sealed class OpenStream(AsyncDuplexStreamingCall<CallBatch, ReplyBatch> call) : IAsyncDisposable
{
    private readonly Queue<StreamedReply> _arrived = [];

    public Task SendAsync(params StreamedCall[] calls) => call.RequestStream.WriteAsync(new CallBatch { Calls = { calls } });

    public async Task<StreamedReply[]> NextAsync(int count)
    {
        while (_arrived.Count < count)
        {
            Assert.True(await call.ResponseStream.MoveNext(default), "the stream has ended");
            call.ResponseStream.Current.Replies.ToList().ForEach(_arrived.Enqueue);
            Serving.AddRange(call.ResponseStream.Current.Serving);
        }

        return [.. Enumerable.Range(0, count).Select(_ => _arrived.Dequeue())];
    }

    /// <summary>The instances that it was told of.</summary>
    public List<ServingInstance> Serving { get; } = [];

    public async Task<ServingInstance> ServingAsync()
    {
        while (Serving.Count == 0)
        {
            Assert.True(await call.ResponseStream.MoveNext(default), "the stream has ended");
            Serving.AddRange(call.ResponseStream.Current.Serving);
        }

        return Serving[0];
    }

    public async Task EndedAsync()
    {
        while (await call.ResponseStream.MoveNext(default))
        {
            Assert.Empty(call.ResponseStream.Current.Replies);
        }
    }

    public Task EndAsync() => call.RequestStream.CompleteAsync();

    public async Task CompleteAsync()
    {
        await EndAsync();
        await EndedAsync();
    }

    public void Abort() => call.Dispose();

    public ValueTask DisposeAsync()
    {
        call.Dispose();
        return default;
    }
}
