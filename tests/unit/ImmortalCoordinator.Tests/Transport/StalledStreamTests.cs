using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>The stream itself, with the options that all connections are made with: plain and encrypted, dialled by either side.</summary>
public sealed class StalledStreamTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    [Fact]
    public Task Bytes_that_a_reader_lets_wait_for_half_a_minute_arrive()
    {
        var plain = new SocketTransport(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);
        var authority = new TestAuthority(_folder, "authority");
        ITransport bank = TestAuthority.Transport(authority.Issue("bank"), "bank", NullLogger.Instance);
        ITransport shop = TestAuthority.Transport(authority.Issue("shop"), "shop", NullLogger.Instance);
        return Task.WhenAll(
            SendAsync(plain, plain, dialledReads: true),
            SendAsync(plain, plain, dialledReads: false),
            SendAsync(bank, shop, dialledReads: true),
            SendAsync(bank, shop, dialledReads: false));
    }

    public void Dispose() => _folder.Dispose();

    private static Task SendAsync(
        ITransport server, ITransport client, bool dialledReads) => new ThreadLoopRunner().Start("stalled stream", async () =>
    {
        var accepted = new TaskCompletionSource<IConnection>();
        var done = new TaskCompletionSource();
        await using IListener listener = await server.ListenAsync(
            EndPointName.Tcp("127.0.0.1", 0),
            connection =>
            {
                accepted.SetResult(connection);
                return done.Task;
            },
            default);
        await using IConnection dialled = await client.ConnectAsync(listener.EndPoint, default);
        IConnection other = await accepted.Task.OrFail();
        (IConnection writer, IConnection reader) = dialledReads ? (other, dialled) : (dialled, other);
        Task sending = WriteAsync(writer);
        await Stall.WithAsync(sending);
        await ReadAsync(reader);
        await sending;
        done.SetResult();
    });

    private static async Task WriteAsync(IConnection writer)
    {
        byte[] piece = new byte[Stall.Piece];
        for (int i = 0; i < Stall.Pieces; i++)
        {
            Array.Fill(piece, (byte)i);
            await writer.Output.WriteAsync(piece);
        }
    }

    private static async Task ReadAsync(IConnection reader)
    {
        for (int i = 0; i < Stall.Pieces; i++)
        {
            var read = await reader.Input.ReadAtLeastAsync(Stall.Piece).AsTask().OrFail();
            foreach (ReadOnlyMemory<byte> part in read.Buffer.Slice(0, Stall.Piece))
            {
                Assert.Equal(-1, part.Span.IndexOfAnyExcept((byte)i));
            }

            reader.Input.AdvanceTo(read.Buffer.GetPosition(Stall.Piece));
        }
    }
}
