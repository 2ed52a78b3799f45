using System.Globalization;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// A unary request of gRPC over HTTP/2, as its specification has it. Its few bytes are read here, because a server of its own would ask for
/// routing and a container of services, and the daemon starts in milliseconds.
/// </summary>
internal static class GrpcRequest
{
    private const string Kind = "application/grpc";
    private static readonly TimeSpan s_most = TimeSpan.FromDays(1);

    /// <summary>Whether a request is one. Over HTTP/1.1 there is none: it could not be answered, once it has run.</summary>
    public static bool Is(HttpRequest request) =>
        HttpProtocol.IsHttp2(request.Protocol) && request.ContentType is { } kind
        && kind.StartsWith(Kind, StringComparison.OrdinalIgnoreCase)
            && (kind.Length == Kind.Length || kind[Kind.Length] is '+' or ';');

    /// <summary>The method of the service; null if it is of another one.</summary>
    public static string? MethodOf(HttpRequest request) =>
        request.Path.Value is { } path && path.StartsWith($"/{IngressService.Name}/", StringComparison.Ordinal)
            ? path[(IngressService.Name.Length + 2)..] : null;

    /// <summary>The time that its sender gives it; null for any.</summary>
    public static TimeSpan? TimeoutOf(HttpRequest request)
    {
        string text = request.Headers["grpc-timeout"].ToString();
        if (text.Length is < 2 or > 9
            || !long.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.None, CultureInfo.InvariantCulture, out long count))
        {
            return null;
        }

        double ticks = count * (double)(text[^1] switch
        {
            'H' => TimeSpan.TicksPerHour,
            'M' => TimeSpan.TicksPerMinute,
            'S' => TimeSpan.TicksPerSecond,
            'm' => TimeSpan.TicksPerMillisecond,
            'u' => TimeSpan.TicksPerMicrosecond,
            'n' => 1d / TimeSpan.NanosecondsPerTick,
            _ => double.PositiveInfinity,
        });
        return ticks < s_most.Ticks ? TimeSpan.FromTicks((long)ticks) : s_most;
    }

    /// <summary>Reads its message.</summary>
    /// <exception cref="ProblemException">It is too large, compressed, or none.</exception>
    public static async Task<ReadOnlyMemory<byte>> ReadAsync(HttpRequest request, int most, CancellationToken stop)
    {
        byte[] body = await CallBody.ReadAsync(request, most + GrpcFrame.Head, stop) ?? throw Refused(
            StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a message has at most {most} bytes");
        return body.Length >= GrpcFrame.Head && GrpcFrame.SizeOf(body) == body.Length - GrpcFrame.Head ? body.AsMemory(GrpcFrame.Head)
            : throw Refused(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, "the body is not one message of gRPC");
    }

    /// <summary>Why a message is refused that is none of the service.</summary>
    public static Problem NotUnderstood(ProtocolException error) => new(
        StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, $"the message is none of {IngressService.Name}: {error.Message}");

    private static ProblemException Refused(int status, ErrorCode code, string detail) => new(new Problem(status, code, detail));
}
