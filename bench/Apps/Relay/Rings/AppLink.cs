using System.Net.Sockets;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>
/// What lies between an app and its coordinator. With rings each of them has a connection of its own, so that at each end only one thread
/// waits for it; a loop that waits for everything at once needs one connection.
/// </summary>
internal sealed class AppLink : IDisposable
{
    private readonly IDisposable[] _owned;

    private AppLink(IRelayReader reader, IRelayWriter writer, params IDisposable[] owned) =>
        (Reader, Writer, _owned) = (reader, writer, owned);

    public IRelayReader Reader { get; }

    public IRelayWriter Writer { get; }

    public static AppLink Connect(string address, AppHopKind kind)
    {
        Socket first = RelayAddress.Connect(address);
        if (kind == AppHopKind.Sockets)
        {
            return Over(first);
        }

        var writer = new RingWriter(Ring.Offer(first), new Doorbell(first));
        Socket second = RelayAddress.Connect(address);
        var reader = new RingReader(Ring.Offer(second), new Doorbell(second));
        return new AppLink(reader, writer, reader, writer);
    }

    public static AppLink Accept(Socket listener, AppHopKind kind)
    {
        Socket first = RelayAddress.Accept(listener);
        if (kind == AppHopKind.Sockets)
        {
            return Over(first);
        }

        var reader = new RingReader(Ring.Accept(first), new Doorbell(first));
        Socket second = RelayAddress.Accept(listener);
        var writer = new RingWriter(Ring.Accept(second), new Doorbell(second));
        return new AppLink(reader, writer, reader, writer);
    }

    public void Dispose()
    {
        foreach (IDisposable one in _owned)
        {
            one.Dispose();
        }
    }

    private static AppLink Over(Socket socket)
    {
        var looking = new LookingSocket(socket);
        return new AppLink(new SocketReader(looking), looking, looking);
    }
}
