using System.Buffers;
using System.Net.Sockets;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

public sealed class SocketTests : IDisposable
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ambrosia-test-");
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly List<Counter> _made = [];

    private string Path => System.IO.Path.Combine(_folder.FullName, "c.sock");

    [Fact]
    public async Task An_app_that_is_started_first_waits_for_its_coordinator()
    {
        Task app = RunAsync(CoordinatorExitPolicy.Stop, CancellationToken.None);

        using Socket connection = await AcceptAsync();

        Assert.Equal("counter", (await HelloAsync(connection)).Instance);
        connection.Close();
        await Assert.ThrowsAsync<LinkClosedException>(() => app.WaitAsync(s_patience));
    }

    [Fact]
    public async Task An_app_told_to_wait_attaches_to_the_next_coordinator_with_a_fresh_object()
    {
        using var stop = new CancellationTokenSource();
        Task app = RunAsync(CoordinatorExitPolicy.Wait, stop.Token);
        using (Socket first = await AcceptAsync())
        {
            BindingHello hello = await HelloAsync(first);
            Assert.NotEqual(Guid.Empty, hello.Incarnation);
        }

        using Socket second = await AcceptAsync(listen: false);
        await HelloAsync(second);
        Assert.Equal(2, _made.Count);

        await stop.CancelAsync();
        await app.WaitAsync(s_patience);
        Assert.Equal(BindingMessageType.Goodbye, await TypeOfNextAsync(second));
    }

    [Fact]
    public async Task A_stopped_app_says_goodbye_and_ends_its_connection()
    {
        using var stop = new CancellationTokenSource();
        Task app = RunAsync(CoordinatorExitPolicy.Stop, stop.Token);
        using Socket connection = await AcceptAsync();
        await HelloAsync(connection);
        await WelcomeAsync(connection);
        await connection.SendAsync(TestMessage.Frame(BindingMessageType.Heartbeat, []));
        Assert.Equal(BindingMessageType.Heartbeat, await TypeOfNextAsync(connection)); // All that was sent has been read.

        await stop.CancelAsync();

        Assert.Equal(BindingMessageType.Goodbye, await TypeOfNextAsync(connection));
        await app.WaitAsync(s_patience);
        Assert.Equal(0, await connection.ReceiveAsync(new byte[1]));
    }

    public void Dispose()
    {
        _listener.Dispose();
        _folder.Delete(recursive: true);
    }

    private Task RunAsync(CoordinatorExitPolicy policy, CancellationToken stop)
    {
        var options = new ImmortalOptions { InstanceName = "counter", BindingSocket = "unix:" + Path, OnCoordinatorExit = policy };
        return new ImmortalHost(Make, options).RunAsync(stop);
    }

    private Counter Make()
    {
        var counter = new Counter();
        _made.Add(counter);
        return counter;
    }

    private async Task<Socket> AcceptAsync(bool listen = true)
    {
        if (listen)
        {
            _listener.Bind(new UnixDomainSocketEndPoint(Path));
            _listener.Listen();
        }

        using var patience = new CancellationTokenSource(s_patience);
        return await _listener.AcceptAsync(patience.Token);
    }

    private static async Task<BindingHello> HelloAsync(Socket connection)
    {
        (BindingMessageType type, byte[] data) = await NextAsync(connection);
        Assert.Equal(BindingMessageType.Hello, type);
        return BindingHello.Read(data);
    }

    private static async Task<BindingMessageType> TypeOfNextAsync(Socket connection)
    {
        (BindingMessageType type, _) = await NextAsync(connection);
        return type == BindingMessageType.Destination ? await TypeOfNextAsync(connection) : type;
    }

    private static async Task<(BindingMessageType Type, byte[] Data)> NextAsync(Socket connection)
    {
        using var patience = new CancellationTokenSource(s_patience);
        byte[] bytes = new byte[4096];
        int size = 0;
        while (true)
        {
            // Byte by byte: what follows the message stays in the socket.
            Assert.Equal(1, await connection.ReceiveAsync(bytes.AsMemory(size++, 1), patience.Token));
            if (Varint.TryReadZigZag(bytes.AsSpan(0, size), out long length, out int prefix) && size == prefix + length)
            {
                return ((BindingMessageType)bytes[prefix], bytes[(prefix + 1)..size]);
            }
        }
    }

    private static async Task WelcomeAsync(Socket connection)
    {
        var data = new ArrayBufferWriter<byte>();
        new BindingWelcome(2, 0, BindingMode.FirstStart, 1, Guid.NewGuid(), "counter", 1 << 20, 1 << 20).Write(data);
        await connection.SendAsync(TestMessage.Frame(BindingMessageType.Welcome, data.WrittenSpan));
    }
}
