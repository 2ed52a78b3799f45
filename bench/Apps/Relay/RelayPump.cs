using System.Net.Sockets;

namespace Ambrosia.Bench.Relay;

/// <summary>Passes bytes on in one direction; with a log, each block is on the device before it goes on, and the next one is received
/// meanwhile.</summary>
internal static class RelayPump
{
    /// <summary>Bytes of a block whose sync overlaps with receiving the next one: with fewer, handing it to another thread costs more than
    /// it gains.</summary>
    public const int WorthOverlapping = 32 * 1024;

    private const int BlockSize = 1 << 20;

    /// <summary>Runs until the sender has no more.</summary>
    public static async Task RunAsync(Socket from, Socket to, PlainLog? log)
    {
        byte[][] blocks = [new byte[BlockSize], new byte[BlockSize]];
        Task passing = Task.CompletedTask;
        for (int turn = 0; ; turn ^= 1)
        {
            int received = await from.ReceiveAsync(blocks[turn]);
            await passing;
            if (received == 0)
            {
                to.Shutdown(SocketShutdown.Send);
                return;
            }

            Memory<byte> block = blocks[turn].AsMemory(0, received);
            passing = log is not null && received >= WorthOverlapping ? Task.Run(() => PassAsync(block, to, log))
                : PassAsync(block, to, log);
        }
    }

    private static async Task PassAsync(Memory<byte> block, Socket to, PlainLog? log)
    {
        log?.Append(block.Span);
        while (block.Length > 0)
        {
            block = block[await to.SendAsync(block)..];
        }
    }
}
