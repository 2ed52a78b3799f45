using System.Net.Sockets;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>
/// A socket whose reader looks at it some twenty times, yielding in between, before its thread sleeps: as the loops of coordinators and
/// apps do. The runtime's own way passes each event from its socket thread to another one.
/// </summary>
internal sealed class LookingSocket : IRelayWriter, IDisposable
{
    /// <summary>How often a thread looks before it sleeps.</summary>
    public const int Looks = 20;

    private readonly Socket _socket;

    /// <param name="socket">That no asynchronous operation was begun on; it is disposed with this.</param>
    public LookingSocket(Socket socket)
    {
        _socket = socket;
        _socket.Blocking = false;
    }

    /// <summary>Waits for bytes; 0 at the end.</summary>
    public int Receive(Span<byte> room)
    {
        for (int look = 0; ; look++)
        {
            int received = _socket.Receive(room, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success)
            {
                return received;
            }

            ThrowUnlessItWouldWait(error);
            if (look < Looks)
            {
                Thread.Yield();
            }
            else
            {
                _socket.Poll(-1, SelectMode.SelectRead);
            }
        }
    }

    /// <summary>Waits until the system takes some of the bytes; returns how many.</summary>
    public int Send(ReadOnlySpan<byte> bytes)
    {
        while (true)
        {
            int sent = _socket.Send(bytes, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success)
            {
                return sent;
            }

            ThrowUnlessItWouldWait(error);
            _socket.Poll(-1, SelectMode.SelectWrite);
        }
    }

    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            bytes = bytes[Send(bytes)..];
        }
    }

    public void End() => _socket.Shutdown(SocketShutdown.Send);

    public void Dispose() => _socket.Dispose();

    private static void ThrowUnlessItWouldWait(SocketError error)
    {
        if (error != SocketError.WouldBlock)
        {
            throw new SocketException((int)error);
        }
    }
}
