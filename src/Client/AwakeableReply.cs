using System.Globalization;
using System.Net;
using System.Text.Json;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Client;

/// <summary>What an address has said of the completion of an awakeable.</summary>
/// <param name="IsTaken">It is completed by this, now or earlier.</param>
/// <param name="Refusal">No repeat will do better; null if one may.</param>
/// <param name="Detail">Why there is no last word yet; null if the app has only not said it.</param>
/// <param name="After">How long to wait before a repeat, as it was asked for.</param>
internal readonly record struct AwakeableReply(bool IsTaken, CallRefusedException? Refusal, string? Detail, TimeSpan After)
{
    private static readonly TimeSpan s_mostAfter = TimeSpan.FromMinutes(1);

    /// <summary>There may be an answer later.</summary>
    public static AwakeableReply Later(string detail) => new(false, null, detail, TimeSpan.Zero);

    /// <summary>Reads it.</summary>
    /// <param name="response">The answer.</param>
    /// <param name="body">Its content.</param>
    /// <param name="what">What was completed, for people.</param>
    public static AwakeableReply Of(HttpResponseMessage response, byte[] body, string what)
    {
        if (response.StatusCode is HttpStatusCode.OK or HttpStatusCode.Accepted)
        {
            return new AwakeableReply(response.StatusCode == HttpStatusCode.OK, null, null, TimeSpan.Zero);
        }

        (string code, string detail, bool isFinal) = Read(response, body);
        bool mayPass = response.StatusCode == HttpStatusCode.TooManyRequests
            || (code.Length == 0 ? response.StatusCode == HttpStatusCode.RequestTimeout || (int)response.StatusCode >= 500
                : code == IngressErrors.Unavailable.Id || code == IngressErrors.NotKnownInTime.Id);
        return mayPass ? new AwakeableReply(false, null, detail, AfterOf(response))
            : new AwakeableReply(false, new CallRefusedException(code, $"{what}: {detail}", isFinal), detail, TimeSpan.Zero);
    }

    /// <summary>This, unless it is a refusal.</summary>
    /// <exception cref="CallRefusedException">It is one.</exception>
    public AwakeableReply OrThrow() => Refusal is null ? this : throw Refusal;

    private static TimeSpan AfterOf(HttpResponseMessage response)
    {
        TimeSpan after = response.StatusCode == HttpStatusCode.TooManyRequests ? response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero
            : TimeSpan.Zero;
        return after > s_mostAfter ? s_mostAfter : after;
    }

    // Something on the way may have written it.
    private static (string Code, string Detail, bool IsFinal) Read(HttpResponseMessage response, byte[] body)
    {
        string otherwise = string.Create(CultureInfo.InvariantCulture, $"HTTP {(int)response.StatusCode}");
        if (response.Content.Headers.ContentType?.MediaType != "application/problem+json")
        {
            return ("", otherwise, false);
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            JsonElement problem = document.RootElement;
            return (Text(problem, "code") ?? "", Text(problem, "detail") ?? otherwise,
                problem.TryGetProperty("final", out JsonElement final) && final.ValueKind == JsonValueKind.True);
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException)
        {
            return ("", otherwise, false);
        }
    }

    private static string? Text(JsonElement problem, string name) =>
        problem.TryGetProperty(name, out JsonElement text) && text.ValueKind == JsonValueKind.String ? text.GetString() : null;
}
