using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Bench.Relay;

/// <summary>What a coordinator would be without a protocol: passes bytes both ways between two sockets, one connection after the
/// other.</summary>
internal static class RelayHop
{
    /// <summary>Stands for "no log".</summary>
    public const string None = "-";

    private const long LogSize = 128 << 20;

    /// <summary>Serves until the process ends.</summary>
    /// <param name="listen">A path, or 0 for any port: it is printed behind "ready".</param>
    /// <param name="connect">Path or port of the next process.</param>
    /// <param name="forwardLog">File that logs what comes from the listening side, or <see cref="None"/>.</param>
    /// <param name="backLog">File that logs what comes back, or <see cref="None"/>.</param>
    public static async Task ServeAsync(string listen, string connect, string forwardLog, string backLog)
    {
        using PlainLog? forward = OpenLog(forwardLog);
        using PlainLog? back = OpenLog(backLog);
        using Socket listener = RelayAddress.Listen(listen);
        Console.Out.WriteLine($"{RelaySource.Ready} {(listener.LocalEndPoint as IPEndPoint)?.Port}");
        while (true)
        {
            using Socket near = await RelayAddress.AcceptAsync(listener);
            using Socket far = await RelayAddress.ConnectAsync(connect);
            await Task.WhenAll(RelayPump.RunAsync(near, far, forward), RelayPump.RunAsync(far, near, back));
        }
    }

    /// <summary>A log, unless there is to be none.</summary>
    public static PlainLog? OpenLog(string path) => path == None ? null : new PlainLog(path, LogSize);
}
