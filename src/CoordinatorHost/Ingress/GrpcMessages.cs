using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>The messages of a request of gRPC that has any number of them, one after the other.</summary>
/// <param name="request">The request.</param>
/// <param name="most">Bytes that one may have.</param>
/// <param name="free">Bytes of one that are not counted as held, for as many requests as there may be.</param>
internal sealed class GrpcMessages(HttpRequest request, int most, int free = 0)
{
    /// <summary>The next one, which is whole; null after the last.</summary>
    /// <exception cref="ProblemException">It is too large, compressed, or cut short.</exception>
    public async Task<byte[]?> NextAsync(CancellationToken stop)
    {
        while (true)
        {
            ReadResult read = await CallBody.ReadAsync(request.BodyReader, stop);
            request.HttpContext.Features.Get<HeldBody>()?.Arrived(read.Buffer.Length - free);
            if (SizeOf(read.Buffer) is { } size && read.Buffer.Length >= GrpcFrame.Head + size)
            {
                byte[] message = read.Buffer.Slice(GrpcFrame.Head, size).ToArray();
                request.BodyReader.AdvanceTo(read.Buffer.GetPosition(GrpcFrame.Head + size));
                return message;
            }

            if (read.IsCompleted)
            {
                return read.Buffer.IsEmpty ? null : throw Refused(
                    StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, "the stream ends within a message");
            }

            request.BodyReader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }

    private int? SizeOf(in ReadOnlySequence<byte> buffer)
    {
        if (buffer.Length < GrpcFrame.Head)
        {
            return null;
        }

        Span<byte> head = stackalloc byte[GrpcFrame.Head];
        buffer.Slice(0, GrpcFrame.Head).CopyTo(head);
        uint size = GrpcFrame.SizeOf(head);
        return size <= most ? (int)size : throw Refused(
            StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a message of this service has at most {most} bytes");
    }

    private static ProblemException Refused(int status, ErrorCode code, string detail) => new(new Problem(status, code, detail));
}
