using System.Net.Sockets;
using System.Text;
using Ambrosia;

namespace EndToEnd;

/// <summary>Charges over a socket of the test, which sees every attempt.</summary>
internal sealed class Till(string path) : ITill
{
    /// <summary>Every version of the node asks for it, in whatever host.</summary>
    public static ImmortalOptions Register(ImmortalOptions options) => options.UseEffects<ITill>(static _ => new Till(Gate.Path + ".till"));

    public async Task<string> Charge(int customer, EffectContext effect)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), effect.Cancellation);
        using var stream = new NetworkStream(socket);
        await stream.WriteAsync(Encoding.UTF8.GetBytes($"{effect.Id} {customer}\n"), effect.Cancellation);
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return await reader.ReadLineAsync(effect.Cancellation) ?? throw new IOException("The till has gone.");
    }
}
