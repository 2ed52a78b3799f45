using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Ambrosia.Bench.Immortals;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Outside;

/// <summary>A client over HTTP/1.1 and JSON: so many calls of an immortal's Echo under way, each with a key.</summary>
internal static class HttpCaller
{
    /// <summary>Where the method is called.</summary>
    public static string Path(string instance) => $"/v1/immortals/{instance}/Echo";

    /// <summary>Takes commands on standard input until the process ends: <c>call SIZE OUTSTANDING SECONDS</c>.</summary>
    public static async Task ServeAsync(string url)
    {
        using var client = new HttpClient { BaseAddress = new Uri(url), Timeout = TimeSpan.FromSeconds(60) };
        Console.Out.WriteLine(WorkerDesk.Ready);
        await foreach (string line in SampleChild.Lines.ReadAllAsync())
        {
            if (line.Split(' ') is not ["call", var size, var outstanding, var seconds])
            {
                throw new ArgumentException($"There is no command {line}.");
            }

            Latencies.Clear();
            string body = $$"""{"payload":"{{Convert.ToBase64String(new byte[Int(size)])}}"}""";
            var time = TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture));
            long start = Stopwatch.GetTimestamp();
            long[] calls = await Task.WhenAll(Enumerable.Range(0, Int(outstanding)).Select(_ => CallAsync(client, body, start, time)));
            var outcome = new Outcome(calls.Sum(), Stopwatch.GetElapsedTime(start).TotalSeconds, Latencies.Take());
            Console.Out.WriteLine(WorkerDesk.Answer + JsonSerializer.Serialize(outcome));
        }
    }

    // One session of numbered calls: each says that the one before is done with, as a client does that keeps its keys.
    private static async Task<long> CallAsync(HttpClient client, string body, long start, TimeSpan time)
    {
        string session = NewSession();
        long number = 0;
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            number++;
            using var request = new HttpRequestMessage(HttpMethod.Post, Path("sink"));
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            request.Headers.TryAddWithoutValidation("Idempotency-Key", $"\"{session}\";n={number};low={number - 1}");
            long begun = Stopwatch.GetTimestamp();
            using HttpResponseMessage answer = await client.SendAsync(request);
            string text = await answer.Content.ReadAsStringAsync();
            Latencies.Add(Stopwatch.GetElapsedTime(begun).TotalMicroseconds);
            if (answer.StatusCode != HttpStatusCode.OK)
            {
                throw new InvalidOperationException($"{(int)answer.StatusCode}: {text}");
            }
        }

        return number;
    }

    // A UUID of version 7, which says when it was made.
    private static string NewSession()
    {
        string random = Guid.NewGuid().ToString("N");
        string time = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds().ToString("x12", CultureInfo.InvariantCulture);
        return $"{time[..8]}-{time[8..]}-7{random[..3]}-a{random[4..7]}-{random[8..20]}";
    }

    private static int Int(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
