using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>An encrypted transport owes what every other does.</summary>
public sealed class TlsTransportTests : TransportConformance, IDisposable
{
    private const int LargestPlaintext = 16 * 1024; // Of one record.
    private const int FirstPiece = 100;
    private readonly TemporaryFolder _folder = new();
    private readonly TestAuthority _authority;

    public TlsTransportTests()
    {
        _authority = new TestAuthority(_folder, "authority");
        Server = TestAuthority.Transport(_authority.Issue("bank"), "bank", NullLogger.Instance);
        Client = TestAuthority.Transport(_authority.Issue("shop"), "shop", NullLogger.Instance);
    }

    protected override ITransport Server { get; }

    protected override ITransport Client { get; }

    protected override EndPointName Address => EndPointName.Tcp("127.0.0.1", 0);

    [Fact]
    public async Task What_does_not_fit_into_a_readers_room_is_read_next_although_nothing_more_comes()
    {
        byte[] sent = [.. Enumerable.Range(0, LargestPlaintext + FirstPiece).Select(static i => (byte)(i * 7))];
        await new ThreadLoopRunner().Start("test", async () =>
        {
            var accepted = new TaskCompletionSource<IConnection>();
            var done = new TaskCompletionSource();
            await using IListener listener = await Server.ListenAsync(
                Address,
                connection =>
                {
                    accepted.SetResult(connection);
                    return done.Task;
                },
                default);
            await using IConnection client = await Client.ConnectAsync(listener.EndPoint, default);
            await client.Output.WriteAsync(sent.AsMemory(0, FirstPiece));
            IConnection server = await accepted.Task;
            ReadResult first = await server.Input.ReadAtLeastAsync(FirstPiece);
            // Nothing is consumed: of the buffer's first 16 KiB a record's length is no longer free.
            server.Input.AdvanceTo(first.Buffer.Start, first.Buffer.End);
            await client.Output.WriteAsync(sent.AsMemory(FirstPiece));
            ReadResult all = await server.Input.ReadAtLeastAsync(sent.Length).AsTask().WaitAsync(TimeSpan.FromSeconds(10));
            Assert.Equal(sent, all.Buffer.ToArray());
            server.Input.AdvanceTo(all.Buffer.End);
            done.SetResult();
        });
    }

    public void Dispose()
    {
        _authority.Dispose();
        _folder.Dispose();
    }
}
