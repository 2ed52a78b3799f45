using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.Primitives.Sockets;

/// <summary>
/// A socket that the loop's own thread waits for and reads: no other thread takes part in a message's way. Received and sent without
/// blocking; when there is nothing or no room, the loop goes on with other work until the descriptor says so.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class PolledByteChannel(Socket socket, LoopWatch watch, Func<string?, IOException> lost) : IByteChannel, IDisposable
{
    private readonly SafeSocketHandle _handle = socket.SafeHandle;
    private volatile bool _broken;

    /// <inheritdoc/>
    public ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        int received = TryReceive(destination.Span);
        return received >= 0 ? new ValueTask<int>(received) : ReceiveLaterAsync(destination, cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken)
    {
        while (first.Length + second.Length > 0)
        {
            nint sent = TrySend(first, second);
            if (sent < 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await using CancellationTokenRegistration cancelled =
                    cancellationToken.UnsafeRegister(static state => ((LoopWatch)state!).WakeWriter(), watch);
                await watch.WaitWritableAsync();
                continue;
            }

            int ofFirst = (int)Math.Min(sent, first.Length);
            first = first[ofFirst..];
            second = second[((int)sent - ofFirst)..];
        }
    }

    /// <summary>Fails everything that is pending or comes later, from any thread.</summary>
    public void Break()
    {
        _broken = true;
        watch.WakeAll();
    }

    /// <summary>Ends the watch; the socket is closed by its owner.</summary>
    public void Dispose()
    {
        _broken = true;
        watch.Dispose();
    }

    private async ValueTask<int> ReceiveLaterAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        await using CancellationTokenRegistration cancelled =
            cancellationToken.UnsafeRegister(static state => ((LoopWatch)state!).WakeReader(), watch);
        while (true)
        {
            await watch.WaitReadableAsync();
            cancellationToken.ThrowIfCancellationRequested();
            int received = TryReceive(destination.Span);
            if (received >= 0)
            {
                return received;
            }
        }
    }

    // -1: nothing there yet.
    private unsafe int TryReceive(Span<byte> destination)
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        ThrowIfBroken();
        try
        {
            fixed (byte* start = destination)
            {
                while (true)
                {
                    nint received = SocketCalls.Receive(_handle, start, (nuint)destination.Length, SocketCalls.DoNotWait);
                    if (received >= 0)
                    {
                        return (int)received;
                    }

                    if (!IsRepeated(Marshal.GetLastPInvokeError()))
                    {
                        return -1;
                    }
                }
            }
        }
        catch (ObjectDisposedException)
        {
            throw lost(null);
        }
    }

    // -1: no room yet.
    private unsafe nint TrySend(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second)
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        ThrowIfBroken();
        try
        {
            fixed (byte* firstStart = first.Span, secondStart = second.Span)
            {
                MessageParts.Part* parts = stackalloc MessageParts.Part[2];
                parts[0] = new MessageParts.Part(firstStart, (nuint)first.Length);
                parts[1] = new MessageParts.Part(secondStart, (nuint)second.Length);
                var message = new MessageParts(parts, 2);
                while (true)
                {
                    nint sent = SocketCalls.Send(_handle, &message, SocketCalls.DoNotWait | SocketCalls.NoSignal);
                    if (sent >= 0)
                    {
                        return sent;
                    }

                    if (!IsRepeated(Marshal.GetLastPInvokeError()))
                    {
                        return -1;
                    }
                }
            }
        }
        catch (ObjectDisposedException)
        {
            throw lost(null);
        }
    }

    private void ThrowIfBroken()
    {
        if (_broken)
        {
            throw lost(null);
        }
    }

    // True: at once; false: later.
    private bool IsRepeated(int error) => error switch
    {
        SocketCalls.Interrupted => true,
        SocketCalls.WouldBlock => false,
        _ => throw lost(SocketFailure.Of(error)),
    };
}
