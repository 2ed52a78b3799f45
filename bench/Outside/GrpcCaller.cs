using Ambrosia.V1;
using Google.Protobuf;
using Grpc.Net.Client;

namespace Ambrosia.Bench.Outside;

/// <summary>A client that Google's tools generate: so many calls of an immortal's Echo under way, each with a key.</summary>
internal static class GrpcCaller
{
    /// <summary>Takes commands until the process ends.</summary>
    public static async Task ServeAsync(string url)
    {
        // What the client of Ambrosia does as well: a connection has room for a hundred calls at a time.
        using var handler = new SocketsHttpHandler { EnableMultipleHttp2Connections = true };
        using GrpcChannel channel = GrpcChannel.ForAddress(url, new GrpcChannelOptions { HttpHandler = handler });
        var client = new Ingress.IngressClient(channel);
        await CallerDesk.ServeAsync(size =>
        {
            ByteString arguments = EchoMessage.Arguments(size);
            string session = CallerDesk.NewSession();
            return number => CallAsync(client, arguments, session, (ulong)number);
        });
    }

    private static async Task CallAsync(Ingress.IngressClient client, ByteString arguments, string session, ulong number)
    {
        CallReply reply = await client.CallAsync(new CallRequest
        {
            Instance = "sink",
            Method = "Echo",
            Key = new Key { Text = session, Number = number, Low = number - 1 },
            MessagePack = arguments,
        });
        if (reply.OutcomeCase != CallReply.OutcomeOneofCase.MessagePack)
        {
            throw new InvalidOperationException($"No result: {reply}");
        }
    }
}
