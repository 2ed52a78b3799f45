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
        }

        return [.. Enumerable.Range(0, count).Select(_ => _arrived.Dequeue())];
    }

    public async Task EndedAsync() => Assert.False(await call.ResponseStream.MoveNext(default));

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
