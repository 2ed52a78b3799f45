using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>The coordinator of a relay whose app hops may be rings: a thread each way, and each connection after the other.</summary>
internal static class RingRelayHop
{
    /// <summary>Serves until the process ends.</summary>
    /// <param name="kind">What lies between it and its app.</param>
    /// <param name="listen">A path, for its app, or 0 for any port, for the other coordinator: it is printed behind "ready".</param>
    /// <param name="connect">Port or path of the next process.</param>
    /// <param name="logPath">File that logs what goes to its app, or <see cref="RelayHop.None"/>.</param>
    public static void Serve(AppHopKind kind, string listen, string connect, string logPath)
    {
        bool isOfSource = !int.TryParse(listen, NumberStyles.None, CultureInfo.InvariantCulture, out _);
        using PlainLog? log = RelayHop.OpenLog(logPath);
        using Socket listener = RelayAddress.Listen(listen);
        Console.Out.WriteLine($"{RelaySource.Ready} {(listener.LocalEndPoint as IPEndPoint)?.Port}");
        while (true)
        {
            AppLink? early = isOfSource ? AppLink.Accept(listener, kind) : null;
            using var peer = new LookingSocket(isOfSource ? RelayAddress.Connect(connect) : RelayAddress.Accept(listener));
            using AppLink app = early ?? AppLink.Connect(connect, kind);
            var up = new Thread(() => PassUp(kind == AppHopKind.CopiedRings ? new CopyingReader(app.Reader) : app.Reader, peer));
            up.Start();
            PassDown(peer, kind == AppHopKind.Rings ? (RingWriter)app.Writer : new PrivateBlocks(app.Writer), log);
            up.Join();
        }
    }

    private static void PassUp(IRelayReader app, LookingSocket peer)
    {
        while (app.Receive() is { Length: > 0 } bytes)
        {
            app.Release(peer.Send(bytes));
        }

        peer.End();
    }

    private static void PassDown(LookingSocket peer, IRelayStage app, PlainLog? log)
    {
        Task passing = Task.CompletedTask;
        while (true)
        {
            int received = peer.Receive(app.Room());
            passing.GetAwaiter().GetResult();
            if (received == 0)
            {
                app.End();
                return;
            }

            app.Take(received);
            if (log is not null && received >= RelayPump.WorthOverlapping)
            {
                passing = Task.Run(() => Pass(received));
            }
            else
            {
                Pass(received);
            }
        }

        void Pass(int count)
        {
            log?.Append(app.Oldest(count));
            app.Pass(count);
        }
    }
}
