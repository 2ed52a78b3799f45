using System.Diagnostics;
using System.Text.Json;
using Ambrosia.Bench;
using Ambrosia.Protocol;

if (args is ["--tracing", ..])
{
    await TracingCost.MeasureAsync(args.Length > 1 ? double.Parse(args[1], System.Globalization.CultureInfo.InvariantCulture) : 0.01);
    return;
}

// Messages per second through the C# binding alone: parsing, dispatch, handler, page, in-memory pipe. No coordinator, no disk.
// A record of 256 KiB is what a busy coordinator sends; one of one message what an idle one sends.
foreach ((string name, int method, int size, int recordBytes) in new[] { ("fork", 1, 16, 256 * 1024), ("fork", 1, 1024, 256 * 1024),
    ("reply", 3, 16, 256 * 1024), ("fork", 1, 16, 1) })
{
    await MeasureAsync(name, method, size, recordBytes);
}

static async Task MeasureAsync(string name, int method, int size, int recordBytes)
{
    byte[] message = Messages.Of(method, method == 3 ? RpcKind.Async : RpcKind.Fork, size);
    int perRecord = Math.Max(1, recordBytes / message.Length);
    byte[] payload = [.. Enumerable.Repeat(message, perRecord).SelectMany(static bytes => bytes)];
    int records = Math.Max(8, (recordBytes == 1 ? 500_000 : 6_000_000) / perRecord / (1 + (size / 128)));
    var relay = new Relay();
    var peer = new InMemoryPeer();
    await peer.AttachAsync(relay);
    await peer.RunAsync(payload, perRecord, Math.Max(8, records / 4)); // Warm-up: tiered compilation.
    double best = 0;
    long allocated = 0;
    for (int round = 0; round < 4; round++)
    {
        long bytes = GC.GetTotalAllocatedBytes(precise: true);
        long start = Stopwatch.GetTimestamp();
        await peer.RunAsync(payload, perRecord, records);
        double rate = (double)records * perRecord / Stopwatch.GetElapsedTime(start).TotalSeconds;
        if (rate > best)
        {
            best = rate;
            allocated = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        }
    }

    long messages = (long)records * perRecord;
    long expected = (4 * messages) + (Math.Max(8, records / 4) * (long)perRecord);
    if (relay.Received < expected || peer.BytesBack < expected * (method == 1 ? size : 8))
    {
        throw new InvalidOperationException(
            $"{relay.Received} messages executed and {peer.BytesBack} bytes back; {expected} messages were sent");
    }

    Console.WriteLine(JsonSerializer.Serialize(new { benchmark = "binding", kind = name, payload = size, messagesPerRecord = perRecord,
        messagesPerSecond = Math.Round(best), allocatedBytesPerMessage = Math.Round((double)allocated / messages, 4) }));
    await peer.DetachAsync();
}
