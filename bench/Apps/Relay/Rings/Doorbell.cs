using System.Net.Sockets;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Wakes the other side of a ring, and says when it is gone. A byte may come for somebody who is awake already: it is only a
/// reason to look.</summary>
internal sealed class Doorbell(Socket socket) : IDisposable
{
    private readonly byte[] _one = [1];
    private readonly byte[] _some = new byte[64];

    /// <summary>Sleeps until it rings; false when the other side sends nothing any more.</summary>
    public bool Wait()
    {
        socket.Poll(-1, SelectMode.SelectRead);
        return socket.Receive(_some, SocketFlags.None, out SocketError error) > 0 && error == SocketError.Success;
    }

    /// <summary>Nothing happens if the other side has seen by itself what it is woken for, and is gone.</summary>
    public void Ring() => socket.Send(_one, SocketFlags.None, out _);

    public void End() => socket.Shutdown(SocketShutdown.Send);

    public void Dispose() => socket.Dispose();
}
