using System.Globalization;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Ambrosia;
using Ambrosia.Primitives;

namespace EndToEnd;

/// <summary>
/// The outside world's way in: a Unix socket that takes one request a line, <c>number verb arguments...</c>, and answers <c>number ok
/// value</c> or
/// <c>number failed reason</c>, in any order. Open while this process acts for its immortal.
/// </summary>
internal sealed class Gate(string name, NodeProxy node, Func<string, NodeProxy> others)
{
    // Impulses are numbered within this process, in the order in which they are handed over.
    private static readonly string s_life = Guid.NewGuid().ToString("N")[..8];
    private static readonly Dictionary<string, long> s_told = [];

    /// <summary>Where it listens; told by the process.</summary>
    public static string Path { get; set; } = "";

    /// <summary>Opens the gate until this process no longer acts for the immortal.</summary>
    public static void Open(ImmortalContext context, NodeProxy node, Func<string, NodeProxy> others)
    {
        if (Path.Length == 0)
        {
            return;
        }

        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        // Under a name of its own first: at its end a socket deletes the file that it has made, and the next app's must not be that.
        string own = $"{Path}.{Environment.ProcessId}";
        listener.Bind(new UnixDomainSocketEndPoint(own));
        listener.Listen(64);
        File.Move(own, Path, overwrite: true);
        context.Stopping.Register(listener.Dispose);
        _ = Task.Run(() => new Gate(context.InstanceName, node, others).AcceptAsync(listener), CancellationToken.None);
    }

    private async Task AcceptAsync(Socket listener)
    {
        try
        {
            while (true)
            {
                Socket client = await listener.AcceptAsync();
                _ = Task.Run(() => ServeAsync(client));
            }
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            // This process no longer acts for its immortal.
        }
    }

    private async Task ServeAsync(Socket client)
    {
        using var stream = new NetworkStream(client, ownsSocket: true);
        using var reader = new StreamReader(stream, Encoding.UTF8);
        using var turn = new SemaphoreSlim(1);
        var answering = new List<Task>();
        try
        {
            while (await reader.ReadLineAsync() is { } line)
            {
                answering.RemoveAll(static task => task.IsCompleted);
                answering.Add(AnswerAsync(line.Split(' '), stream, turn));
            }
        }
        catch (IOException)
        {
            // The client has gone.
        }

        await Task.WhenAll(answering);
    }

    private async Task AnswerAsync(string[] request, NetworkStream stream, SemaphoreSlim turn)
    {
        string answer;
        try
        {
            answer = "ok " + await ExecuteAsync(request[1], request[2..]);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            answer = $"failed {error.GetType().Name} {error.Message.ReplaceLineEndings(" ")}";
        }

        await turn.WaitAsync();
        try
        {
            await stream.WriteAsync(Encoding.UTF8.GetBytes($"{request[0]} {answer}\n"));
        }
        catch (IOException)
        {
            // The client has gone.
        }
        finally
        {
            turn.Release();
        }
    }

    private async Task<string> ExecuteAsync(string verb, string[] arguments)
    {
        switch (verb)
        {
            case "submit":
                return Text(await node.SubmitImpulse(arguments[0], Enum.Parse<WorkKind>(arguments[1]), arguments[2], Number(arguments[3])));
            case "culture":
                return CultureInfo.CurrentCulture.Name;
            case "report":
                return JsonSerializer.Serialize(await node.ReportImpulse());
            case "charges":
                await node.ChargesImpulse(Number(arguments[0]), Number(arguments[1]));
                return "";
            case "grow":
                return Text(await node.GrowImpulse(Number(arguments[0])));
            case "save":
                await node.SaveImpulse();
                return "";
            case "flood":
                await node.FloodImpulse(arguments[0], Number(arguments[1]), Number(arguments[2]));
                return "";
            case "tell":
                return Text(await TellAsync(arguments[0]));
            case "pour":
                return Text(await node.PourImpulse(arguments[0], Number(arguments[1]), Number(arguments[2])));
            default:
                throw new ArgumentException($"no verb {verb}");
        }
    }

    private async Task<long> TellAsync(string peer)
    {
        Task buffered;
        long number;
        lock (s_told)
        {
            number = s_told[peer] = s_told.GetValueOrDefault(peer) + 1;
            buffered = others(peer).TellImpulse($"{name}-{s_life}", number);
        }

        await buffered;
        return number;
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private static string Text(long value) => value.ToString(CultureInfo.InvariantCulture);
}
