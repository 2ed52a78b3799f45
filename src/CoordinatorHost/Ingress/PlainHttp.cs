using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Tells a client that speaks HTTP to an address which is encrypted that it should say <c>https</c>. The handshake would end without a
/// word, and the client would try for ever.
/// </summary>
internal static class PlainHttp
{
    private static readonly Problem s_problem = new(
        StatusCodes.Status400BadRequest, IngressErrors.Encrypted, "this address is encrypted: begin it with https:");

    private static readonly TimeSpan s_linger = TimeSpan.FromSeconds(2); // For the answer to be read.

    /// <summary>Looks at the first byte of a connection, and hands one that begins as TLS on with all of them.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="patience">How long it may take.</param>
    /// <param name="time">Clock.</param>
    /// <param name="next">What serves it.</param>
    public static async Task ServeAsync(ConnectionContext connection, TimeSpan patience, TimeProvider time, ConnectionDelegate next)
    {
        using var late = new CancellationTokenSource(patience, time);
        try
        {
            PipeReader input = connection.Transport.Input;
            ReadResult read = await input.ReadAsync(late.Token);
            bool isPlain = read.Buffer.Length > 0 && char.IsAsciiLetterUpper((char)read.Buffer.FirstSpan[0]); // A method of HTTP.
            input.AdvanceTo(read.Buffer.Start); // TLS reads it again.
            if (isPlain)
            {
                late.CancelAfter(s_linger);
                await TellAsync(connection, late.Token);
                return;
            }
        }
        catch (Exception error) when (error is OperationCanceledException or IOException)
        {
            connection.Abort();
            return;
        }

        await next(connection);
    }

    private static async Task TellAsync(ConnectionContext connection, CancellationToken late)
    {
        byte[] body = [.. s_problem.ToJson(), (byte)'\n'];
        string head = $"HTTP/1.1 400 Bad Request\r\nContent-Type: {Problem.ContentType}\r\n{GatewayHeaders.Code}: {s_problem.Code.Id}\r\n"
            + $"Content-Length: {body.Length}\r\nConnection: close\r\n\r\n";
        PipeWriter output = connection.Transport.Output;
        output.Write(Encoding.ASCII.GetBytes(head));
        output.Write(body);
        await output.FlushAsync(late);
        await DrainAsync(connection.Transport.Input, late); // What is not read would reset the connection before the answer is there.
    }

    private static async Task DrainAsync(PipeReader input, CancellationToken late)
    {
        const int Most = 64 << 10;
        for (long left = Most; left > 0;)
        {
            ReadResult read = await input.ReadAsync(late);
            left -= read.Buffer.Length;
            input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return;
            }
        }
    }
}
