using System.Buffers.Binary;
using System.Globalization;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Buffers;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>The body of a request.</summary>
internal static class CallBody
{
    /// <summary>Reads one of JSON, which may be missing.</summary>
    /// <exception cref="ProblemException">It is too large, something else, or there is no memory for it now.</exception>
    public static async Task<byte[]> ReadJsonAsync(HttpContext context, int most)
    {
        string kind = (context.Request.ContentType ?? "").Split(';')[0].Trim();
        bool isEmpty = context.Request.ContentLength is 0 or null && kind.Length == 0;
        if (!isEmpty && !kind.Equals("application/json", StringComparison.OrdinalIgnoreCase))
        {
            throw new ProblemException(new Problem(
                StatusCodes.Status415UnsupportedMediaType, IngressErrors.NotJson, "the body must be application/json"));
        }

        return await ReadAsync(context.Request, most, context.RequestAborted) ?? throw new ProblemException(new Problem(
            StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a body has at most {most} bytes"));
    }

    /// <summary>Reads it; null if it has more bytes than it may.</summary>
    /// <exception cref="ProblemException">There is no memory for it now.</exception>
    public static async Task<byte[]?> ReadAsync(HttpRequest request, int most, CancellationToken stop)
    {
        if (request.ContentLength > most)
        {
            return null;
        }

        while (true)
        {
            ReadResult read = await ReadAsync(request.BodyReader, stop);
            if (read.Buffer.Length > most)
            {
                return null;
            }

            request.HttpContext.Features.Get<HeldBody>()?.Arrived(read.Buffer.Length);
            if (read.IsCompleted)
            {
                byte[] bytes = read.Buffer.ToArray();
                request.BodyReader.AdvanceTo(read.Buffer.End);
                return bytes;
            }

            request.BodyReader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }

    /// <summary>
    /// Asks for no rate any more of a body whose client has shown no token. Over HTTP/2 the server counts the bytes of all bodies of a
    /// connection together, and ends that when they are too few: a proxy may have put others on it. So such a body has a time instead.
    /// </summary>
    public static void LeaveRate(HttpRequest request)
    {
        if (HttpProtocol.IsHttp2(request.Protocol)
            && request.HttpContext.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
        }
    }

    /// <summary>Reads for so long at most.</summary>
    /// <exception cref="ProblemException">It took longer.</exception>
    public static async Task<T> WithinAsync<T>(
        TimeSpan most, TimeProvider time, Func<CancellationToken, Task<T>> read, CancellationToken gone)
    {
        using var late = new CancellationTokenSource(most, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, gone);
        try
        {
            return await read(either.Token);
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !gone.IsCancellationRequested)
        {
            throw new ProblemException(new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, string.Create(
                    CultureInfo.InvariantCulture, $"the id, or what is behind it, has not arrived within {most.TotalSeconds:0.###} s")));
        }
    }

    /// <summary>Reads more of one.</summary>
    /// <exception cref="ClientGoneException">Its client is gone.</exception>
    public static async ValueTask<ReadResult> ReadAsync(PipeReader body, CancellationToken stop)
    {
        try
        {
            return await body.ReadAsync(stop);
        }
        catch (IOException error) when (error is not BadHttpRequestException)
        {
            throw new ClientGoneException(error);
        }
    }

    /// <summary>
    /// By what repeats of a call are compared: the first 8 bytes of a SHA-256 of method, kind of content and body as it was sent (X5).
    /// </summary>
    public static ulong HashOf(int method, IngressForm form, ReadOnlySpan<byte> body)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> head = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(head, method);
        hash.AppendData(head);
        hash.AppendData(form == IngressForm.Json ? "application/json\0"u8 : "application/vnd.msgpack\0"u8);
        hash.AppendData(body);
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);
        return BinaryPrimitives.ReadUInt64BigEndian(digest);
    }
}
