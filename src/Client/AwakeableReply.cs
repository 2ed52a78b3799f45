using System.Globalization;
using System.Net;
using System.Text.Json;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Client;

/// <summary>What an address has said of the completion of an awakeable.</summary>
internal sealed record AwakeableReply
{
    private const int MostAnswer = 64 << 10; // Bytes. The path of an awakeable says little.
    private static readonly TimeSpan s_mostAfter = TimeSpan.FromMinutes(1);

    /// <summary>It is completed by this, now or earlier.</summary>
    public bool IsTaken { get; private init; }

    /// <summary>No repeat will do better; null if one may.</summary>
    public CallRefusedException? Refusal { get; private init; }

    /// <summary>Another host of the name may do better.</summary>
    public bool IsUnavailable { get; private init; }

    /// <summary>Why there is no last word yet; null if the app has only not said it.</summary>
    public string? Detail { get; private init; }

    /// <summary>How long to wait before a repeat, as it was asked for.</summary>
    public TimeSpan After { get; private init; }

    /// <summary>There may be an answer later.</summary>
    public static AwakeableReply Later(string detail) => new() { Detail = detail, IsUnavailable = true };

    /// <summary>Reads it.</summary>
    /// <param name="response">The answer.</param>
    /// <param name="what">What was completed, for people.</param>
    /// <param name="time">Clock.</param>
    /// <param name="stop">Ends it.</param>
    /// <exception cref="IOException">It does not arrive as a whole.</exception>
    public static async Task<AwakeableReply> ReadAsync(
        HttpResponseMessage response, string what, TimeProvider time, CancellationToken stop)
    {
        if (response.StatusCode == HttpStatusCode.Accepted)
        {
            return new AwakeableReply();
        }

        using JsonDocument? said = await ParseAsync(response, stop).ConfigureAwait(false);
        if (response.StatusCode == HttpStatusCode.OK)
        {
            // A page to log in has this status as well.
            return said is not null && Member(said, "taken") is { ValueKind: JsonValueKind.True } ? new AwakeableReply { IsTaken = true }
                : new AwakeableReply
                    { Refusal = new CallRefusedException("", $"{what}: something else than a coordinator has answered.", isFinal: false) };
        }

        string code = Text(said, "code") ?? "";
        string detail = Text(said, "detail") ?? string.Create(CultureInfo.InvariantCulture, $"HTTP {(int)response.StatusCode}");
        bool isFull = response.StatusCode == HttpStatusCode.TooManyRequests;
        bool isUnavailable = CallTries.IsOfTheProcess(code)
            || (code.Length == 0 && (response.StatusCode == HttpStatusCode.RequestTimeout || (int)response.StatusCode >= 500));
        return new AwakeableReply
        {
            Detail = detail, IsUnavailable = isUnavailable, After = isFull ? AfterOf(response, time) : TimeSpan.Zero,
            Refusal = isFull || isUnavailable ? null
                : new CallRefusedException(
                    code, code.Length == 0 ? $"{what}: {detail}" : $"{what}: {code} {Text(said, "title")}: {detail}",
                    Member(said, "final") is { ValueKind: JsonValueKind.True }),
        };
    }

    private static TimeSpan AfterOf(HttpResponseMessage response, TimeProvider time)
    {
        TimeSpan after = response.Headers.RetryAfter?.Delta ?? response.Headers.RetryAfter?.Date - time.GetUtcNow() ?? TimeSpan.Zero;
        return after > s_mostAfter ? s_mostAfter : after;
    }

    // Something on the way may have written it. What is longer than ours are is none of them.
    private static async Task<JsonDocument?> ParseAsync(HttpResponseMessage response, CancellationToken stop)
    {
        if (response.Content.Headers.ContentType?.MediaType is not ("application/json" or "application/problem+json"))
        {
            return null;
        }

        Stream content = await response.Content.ReadAsStreamAsync(stop).ConfigureAwait(false);
        byte[] bytes = new byte[MostAnswer];
        int size = await content.ReadAtLeastAsync(bytes, MostAnswer, throwOnEndOfStream: false, stop).ConfigureAwait(false);
        try
        {
            return JsonDocument.Parse(bytes.AsMemory(0, size));
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static JsonElement? Member(JsonDocument? said, string name) =>
        said is { RootElement.ValueKind: JsonValueKind.Object } && said.RootElement.TryGetProperty(name, out JsonElement member)
            ? member : null;

    private static string? Text(JsonDocument? said, string name) =>
        Member(said, name) is { ValueKind: JsonValueKind.String } text ? text.GetString() : null;
}
