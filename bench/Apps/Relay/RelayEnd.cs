using System.Buffers.Binary;
using System.Net.Sockets;

namespace Ambrosia.Bench.Relay;

/// <summary>The last process of the relay: sends everything back, or counts it, as the first byte of a connection says.</summary>
internal static class RelayEnd
{
    public const byte Echo = (byte)'E';
    public const byte Count = (byte)'C';

    /// <summary>Serves until the process ends.</summary>
    public static async Task ServeAsync(string listen)
    {
        using Socket listener = RelayAddress.Listen(listen);
        Console.Out.WriteLine($"{RelaySource.Ready} {(listener.LocalEndPoint as System.Net.IPEndPoint)?.Port}");
        byte[] buffer = new byte[1 << 20];
        while (true)
        {
            using Socket near = await RelayAddress.AcceptAsync(listener);
            await near.ReceiveAsync(buffer.AsMemory(0, 1));
            bool echoes = buffer[0] == Echo;
            long total = 0;
            for (int received; (received = await near.ReceiveAsync(buffer)) > 0;)
            {
                total += received;
                for (int sent = 0; echoes && sent < received;)
                {
                    sent += await near.SendAsync(buffer.AsMemory(sent, received - sent));
                }
            }

            if (!echoes)
            {
                BinaryPrimitives.WriteInt64LittleEndian(buffer, total);
                await near.SendAsync(buffer.AsMemory(0, sizeof(long)));
            }
        }
    }
}
