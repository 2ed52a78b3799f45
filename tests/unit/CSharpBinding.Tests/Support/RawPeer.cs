using Ambrosia.Primitives;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>An app that is attached to bytes the test writes.</summary>
internal sealed class RawPeer : IAsyncDisposable
{
    private readonly DuplexPipe _link;

    public RawPeer()
    {
        (_link, DuplexPipe app) = DuplexPipe.Create();
        App = new ImmortalHost(static () => new Counter(), new ImmortalOptions { InstanceName = "counter" })
            .RunAsync(app, CancellationToken.None);
    }

    public Task<string> App { get; }

    public async Task SendAsync(byte[] bytes) => await _link.Output.WriteAsync(bytes);

    public async Task CloseAsync() => await _link.Output.CompleteAsync();

    public async ValueTask DisposeAsync()
    {
        await _link.Output.CompleteAsync();
        await _link.Input.CompleteAsync();
    }
}
