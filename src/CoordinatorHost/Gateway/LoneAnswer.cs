using System.Globalization;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The answer of a call that came on a stream and went alone: as the instance would have said it on a stream.</summary>
internal static class LoneAnswer
{
    private const int Unknown = 2;
    private const int Piece = 64 << 10;

    /// <summary>Reads it.</summary>
    /// <param name="answer">The answer.</param>
    /// <param name="silence">How long the instance may say nothing.</param>
    /// <param name="time">Clock.</param>
    /// <param name="gone">Its caller waits no more.</param>
    /// <exception cref="IOException">It ended too early, or is no answer of gRPC.</exception>
    /// <exception cref="OperationCanceledException">The caller is gone, or the instance stands still.</exception>
    public static async Task<IngressStreamedReply> ReadAsync(
        InstanceAnswer answer, TimeSpan silence, TimeProvider time, CancellationToken gone)
    {
        var body = new MemoryStream();
        body.Write(answer.First.Span);
        if (answer.Rest is { } rest)
        {
            await CopyAsync(rest, body, silence, time, gone);
        }

        string status = answer.Find("grpc-status");
        if (status.Length == 0)
        {
            throw new IOException("the answer ended before its status");
        }

        if (status == "0")
        {
            ReadOnlyMemory<byte> frame = body.GetBuffer().AsMemory(0, (int)body.Length);
            return frame.Length >= GrpcFrame.Head && GrpcFrame.SizeOf(frame.Span) == frame.Length - GrpcFrame.Head
                ? new IngressStreamedReply(0, frame[GrpcFrame.Head..].ToArray(), null)
                : throw new IOException("the answer is not one message of gRPC");
        }

        return new IngressStreamedReply(0, null, new IngressRefusal(
            int.TryParse(status, NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : Unknown,
            answer.Find(IngressService.CodeTrailer), Uri.UnescapeDataString(answer.Find("grpc-message")),
            answer.Find(IngressService.FinalTrailer) == "true", answer.Find(IngressService.InstanceTrailer))
            { InstanceId = answer.Find(IngressService.InstanceIdHeader) });
    }

    private static async Task CopyAsync(Stream from, MemoryStream to, TimeSpan silence, TimeProvider time, CancellationToken gone)
    {
        byte[] piece = new byte[Piece];
        while (true)
        {
            using var late = new CancellationTokenSource(silence, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, gone);
            int read = await from.ReadAsync(piece, either.Token);
            if (read == 0)
            {
                return;
            }

            to.Write(piece, 0, read);
        }
    }
}
