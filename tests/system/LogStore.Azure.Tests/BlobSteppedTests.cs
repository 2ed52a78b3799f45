using System.Globalization;
using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Xunit.Abstractions;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>
/// A process that is stopped between any two requests, superseded, and then goes on while its successor is stopped between any two of its
/// own: nothing acknowledged is lost, a segment has one
/// epoch, and only the superseded one ends (G1, G7).
/// </summary>
[Collection("azurite leases")]
public sealed class BlobSteppedTests(Azurite azurite, ITestOutputHelper output)
{
    private const int Sampled = 15;
    private const int Enough = 3;
    private readonly string _uri = azurite.NewBlobUri();

    private static int Seed { get; } = int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_E2E_SEED"), NumberStyles.None,
        CultureInfo.InvariantCulture, out int seed) ? seed : Random.Shared.Next();

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    [Fact]
    public async Task A_predecessor_that_goes_on_while_its_successor_is_at_any_request_loses_no_record_and_ends_no_successor()
    {
        await using var old = new SteppedService(azurite.BlobPort);
        await using var next = new SteppedService(azurite.BlobPort);
        await WriteFirstAsync("measured");
        old.StopAt(int.MaxValue);
        await RequireFineAsync(await WriteAsync(old, "measured", 10, records: 2));
        next.StopAt(int.MaxValue);
        await RequireFineAsync(await WriteAsync(next, "measured", 20, records: 1));
        Stops[] all = Choose(old.Seen, next.Seen);
        string line = string.Create(CultureInfo.InvariantCulture,
            $"Azurite: {all.Length} of the ways to stop two processes at {old.Seen.Count} and {next.Seen.Count} requests, seed {Seed}");
        output.WriteLine(line);
        Ambrosia.EndToEnd.Tests.Driving.Report.Add("LogStore.Azure", line);
        var wrong = new List<string>();
        foreach (Stops stops in all)
        {
            if (await TryAsync(old, next, stops) is { } what)
            {
                wrong.Add(what);
                if (wrong.Count == Enough)
                {
                    break;
                }
            }
        }

        Assert.True(wrong.Count == 0, $"seed {Seed}:\n{string.Join('\n', wrong)}");
    }

    /// <summary>
    /// A twentieth of the pairs of requests that change segments, also of those where the superseded one gets no further than its next
    /// append before its successor goes on; and some of the others: as the seed says. With AMBROSIA_SOAK=1 all.
    /// </summary>
    private static Stops[] Choose(IReadOnlyList<string> old, IReadOnlyList<string> next)
    {
        bool Makes(string request) =>
            request.Contains("/log/", StringComparison.Ordinal) && request.StartsWith("PUT", StringComparison.Ordinal);
        int ToAppend(int from) => Enumerable.Range(from, old.Count - from + 1)
            .FirstOrDefault(at => old[at - 1].EndsWith("appendblock", StringComparison.Ordinal), old.Count) - from + 1;
        Stops[] all = [.. from first in Enumerable.Range(1, old.Count) from second in Enumerable.Range(1,
            next.Count) from steps in (int[])[int.MaxValue, ToAppend(first)] select new Stops(first, second, steps)];
        var random = new Random(Seed);
        ILookup<bool, Stops> split = all.ToLookup(stops => Makes(old[stops.OldAt - 1]) && Makes(next[stops.NextAt - 1]));
        return Soak ? all :
        [
            .. split[true].OrderBy(_ => random.Next()).Take((split[true].Count() + 19) / 20),
            .. split[false].OrderBy(_ => random.Next()).Take(Sampled),
        ];
    }

    private static async Task RequireFineAsync(Outcome outcome)
    {
        await outcome.EndAsync();
        Assert.True(outcome.Error is null, outcome.Error?.ToString());
    }

    /// <summary>Null, or what is wrong.</summary>
    private async Task<string?> TryAsync(SteppedService old, SteppedService next, Stops stops)
    {
        (int oldAt, int nextAt, int steps) = stops;
        string instance = string.Create(CultureInfo.InvariantCulture, $"i{oldAt}-{nextAt}-{steps}");
        await WriteFirstAsync(instance);
        old.StopAt(oldAt);
        Task<Outcome> first = WriteAsync(old, instance, 10, records: 2);
        await Task.WhenAny(first, old.Stopped);
        string oldStop = old.Seen.Skip(oldAt - 1).FirstOrDefault("its end");
        await AzureWorld.Container(_uri).ReleaseAnyAsync($"{instance}/lock"); // As if its time were over.
        next.StopAt(nextAt);
        Task<Outcome> second = WriteAsync(next, instance, 20, records: 1);
        await Task.WhenAny(second, next.Stopped);
        string nextStop = next.Seen.Skip(nextAt - 1).FirstOrDefault("its end");
        old.GoOn(steps);
        await Task.WhenAny(first, old.Stopped);
        next.GoOn();
        Outcome successor = await second;
        old.GoOn();
        Outcome superseded = await first;
        await successor.EndAsync();
        await superseded.EndAsync();
        string? what = Judge(superseded, successor)
            ?? await JudgeLogAsync(instance, [0, .. superseded.Acknowledged, .. successor.Acknowledged]);
        return what is null ? null : $"old stopped at {oldAt} ({oldStop}), next at {nextAt} ({nextStop}), {steps} steps: {what}";
    }

    /// <summary>The process that got the right to append last keeps it.</summary>
    private static string? Judge(Outcome superseded, Outcome successor) =>
        superseded.Error is LogCorruptException damage ? $"the superseded one finds damage: {damage.Message}"
        : successor.HasLease ? successor.Error is null ? null : $"the successor ended: {successor.Error.Message}"
        : superseded.Error is null ? null : $"nobody else had the lease, and its holder ended: {superseded.Error.Message}";

    private async Task<string?> JudgeLogAsync(string instance, List<int> acknowledged)
    {
        await AzureWorld.Container(_uri).ReleaseAnyAsync($"{instance}/lock");
        LogHarness last;
        try
        {
            last = await LogHarness.StartAsync(await OpenAsync(_uri, instance));
        }
        catch (LogStoreException error)
        {
            return $"the log cannot be opened: {error.Message}";
        }

        await using LogHarness opened = last;
        var found = new List<int>();
        await using LogReader reader = opened.Log.OpenReader(Lsn.None);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            found.Add(BitConverter.ToInt32(reader.Body.Span));
            SegmentHeader segment = opened.Log.Segments.Last(segment => segment.FirstLsn.Value <= reader.Header.Lsn.Value);
            if (segment.Epoch != reader.Header.Epoch)
            {
                return $"record {reader.Header.Lsn} of epoch {reader.Header.Epoch} is in a segment of epoch {segment.Epoch}";
            }
        }

        string all = string.Join(' ', found);
        return opened.Start.TornBytes > 0 ? $"{opened.Start.TornBytes} bytes were cut"
            : acknowledged.Except(found).Any() ? $"acknowledged {string.Join(' ', acknowledged)}, found {all}"
            : !found.Order().Distinct().SequenceEqual(found) ? $"not in order: {all}" : null;
    }

    private async Task WriteFirstAsync(string instance)
    {
        await using LogHarness first = await LogHarness.StartAsync(await OpenAsync(_uri, instance));
        await first.AppendAsync(BitConverter.GetBytes(0));
    }

    private async Task<Outcome> WriteAsync(SteppedService service, string instance, int from, int records)
    {
        var outcome = new Outcome();
        try
        {
            outcome.Log = await OpenAsync(_uri.Replace($":{azurite.BlobPort}/", $":{service.Port}/", StringComparison.Ordinal), instance);
            outcome.Lease = await outcome.Log.TryAcquireAsync();
            if (outcome.Lease is null)
            {
                return outcome;
            }

            await outcome.Log.BecomeWriterAsync(outcome.Lease);
            Append.LogAppender appender = outcome.Log.StartAppending(new CollectingSink());
            for (int number = from; number < from + records; number++)
            {
                await LogHarness.PublishAsync(appender, BitConverter.GetBytes(number));
                await appender.FlushAsync();
                outcome.Acknowledged.Add(number);
            }
        }
        catch (Exception error) when (error is InvalidOperationException or LogStoreException)
        {
            outcome.Error = error;
        }

        return outcome;
    }

    // One segment for each record.
    private static ValueTask<WriteAheadLog> OpenAsync(string uri, string instance) =>
        LogStores.OpenLogAsync(uri, instance, new LogStoreOptions { Retention = RetentionPolicy.All },
        AzureWorld.Environment(stores: [new AzureBlobStores(AzureWorld.WithKey) { MostAppends = 2 }]));

    /// <summary>
    /// Where the superseded process is stopped and where its successor, and how far the first goes before the second goes on.
    /// </summary>
    private readonly record struct Stops(int OldAt, int NextAt, int Steps);

    private sealed class Outcome
    {
        public WriteAheadLog? Log { get; set; }

        public ILogLease? Lease { get; set; }

        public Exception? Error { get; set; }

        public List<int> Acknowledged { get; } = [];

        public bool HasLease => Lease is not null;

        public async Task EndAsync()
        {
            try
            {
                await (Log?.DisposeAsync() ?? default);
            }
            catch (LogStoreException)
            {
                // It says once more why it ended.
            }

            await (Lease?.DisposeAsync() ?? default);
        }
    }
}
