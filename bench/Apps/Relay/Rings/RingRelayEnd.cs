using System.Buffers.Binary;
using System.Net.Sockets;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>The last app of a relay whose app hops may be rings: sends everything back, or counts it, as the first byte of a connection
/// says.</summary>
internal static class RingRelayEnd
{
    /// <summary>Serves until the process ends.</summary>
    public static void Serve(AppHopKind kind, string listen)
    {
        using Socket listener = RelayAddress.Listen(listen);
        Console.Out.WriteLine(RelaySource.Ready);
        while (true)
        {
            using AppLink link = AppLink.Accept(listener, kind);
            bool echoes = link.Reader.Receive()[0] == RelayEnd.Echo;
            link.Reader.Release(1);
            if (echoes)
            {
                EchoAll(link);
            }
            else
            {
                CountAll(link, kind);
            }

            link.Writer.End();
        }
    }

    private static void EchoAll(AppLink link)
    {
        while (link.Reader.Receive() is { Length: > 0 } bytes)
        {
            link.Writer.Write(bytes);
            link.Reader.Release(bytes.Length);
        }
    }

    // What came by a socket was touched when the system copied it; in a ring each byte is read where it lies.
    private static void CountAll(AppLink link, AppHopKind kind)
    {
        long total = 0;
        while (link.Reader.Receive() is { Length: > 0 } bytes)
        {
            total += kind == AppHopKind.Sockets ? bytes.Length : bytes.Count(RingRelaySource.Mark);
            link.Reader.Release(bytes.Length);
        }

        Span<byte> answer = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(answer, total);
        link.Writer.Write(answer);
    }
}
