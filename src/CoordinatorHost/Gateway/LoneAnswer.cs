using System.Globalization;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The answer of a call that came on a stream and went alone: as the instance would have said it on a stream.</summary>
internal static class LoneAnswer
{
    private const int Unknown = 2;

    /// <summary>Reads it.</summary>
    /// <exception cref="IOException">It ended too early, or is no answer of gRPC.</exception>
    public static async Task<IngressStreamedReply> ReadAsync(InstanceAnswer answer, CancellationToken stop)
    {
        var body = new MemoryStream();
        body.Write(answer.First.Span);
        await (answer.Rest?.CopyToAsync(body, stop) ?? Task.CompletedTask);
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
            answer.Find(IngressService.FinalTrailer) == "true", answer.Find(IngressService.InstanceTrailer)));
    }
}
