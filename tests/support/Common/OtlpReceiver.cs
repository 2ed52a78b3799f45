using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ambrosia.Tests.Common;

/// <summary>A small collector: takes OTLP over HTTP, as protobuf, and keeps what it reads of it.</summary>
internal sealed class OtlpReceiver : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Task _serving;

    public OtlpReceiver()
    {
        using (var free = new TcpListener(IPAddress.Loopback, 0))
        {
            free.Start();
            Address = $"http://127.0.0.1:{((IPEndPoint)free.LocalEndpoint).Port}";
        }

        _listener.Prefixes.Add(Address + "/");
        _listener.Start();
        _serving = ServeAsync();
    }

    /// <summary>For OTEL_EXPORTER_OTLP_ENDPOINT.</summary>
    public string Address { get; }

    /// <summary>Spans so far.</summary>
    public ConcurrentQueue<OtlpSpan> Spans { get; } = new();

    /// <summary>Units of metrics so far, by name.</summary>
    public ConcurrentDictionary<string, string> Metrics { get; } = new();

    public async ValueTask DisposeAsync()
    {
        _listener.Close();
        await _serving;
    }

    private async Task ServeAsync()
    {
        try
        {
            while (true)
            {
                HttpListenerContext request = await _listener.GetContextAsync();
                using var body = new MemoryStream();
                await request.Request.InputStream.CopyToAsync(body);
                Take(request.Request.RawUrl ?? "", body.ToArray());
                request.Response.ContentType = "application/x-protobuf";
                request.Response.Close();
            }
        }
        catch (Exception ended) when (ended is HttpListenerException or ObjectDisposedException)
        {
            // It is closed.
        }
    }

    // opentelemetry/proto/collector/{trace,metrics}/v1: resource (1) of each group (1), scopes (2) in it, spans or metrics (2) in them.
    private void Take(string path, byte[] body)
    {
        foreach (byte[] group in All(body, 1))
        {
            string service = All(group, 1).SelectMany(Attributes).FirstOrDefault(static each => each.Key == "service.instance.id").Value
                ?? "";
            foreach (byte[] item in All(group, 2).SelectMany(static scope => All(scope, 2)))
            {
                if (path.EndsWith("/v1/traces", StringComparison.Ordinal))
                {
                    Spans.Enqueue(new OtlpSpan(
                        service, Hex(item, 1), Hex(item, 4), Text(item, 5), Fixed(item, 7), Fixed(item, 8),
                        new Dictionary<string, string>(All(item, 9).Select(Pair))));
                }
                else
                {
                    Metrics[Text(item, 1)] = Text(item, 3);
                }
            }
        }
    }

    private static IEnumerable<KeyValuePair<string, string>> Attributes(byte[] resource) => All(resource, 1).Select(Pair);

    private static KeyValuePair<string, string> Pair(byte[] pair) =>
        new(Text(pair, 1), All(pair, 2).Select(static value => Text(value, 1)).FirstOrDefault() ?? "");

    private static string Text(byte[] message, int field) => Encoding.UTF8.GetString(All(message, field).FirstOrDefault() ?? []);

    private static string Hex(byte[] message, int field) =>
        Convert.ToHexString(All(message, field).FirstOrDefault() ?? []).ToLowerInvariant();

    private static ulong Fixed(byte[] message, int field) => BinaryPrimitives.ReadUInt64LittleEndian(All(message, field).Single());

    // The contents of each occurrence of a field, by protobuf's encoding.
    private static List<byte[]> All(byte[] message, int field)
    {
        var found = new List<byte[]>();
        int at = 0;
        while (at < message.Length)
        {
            ulong tag = Varint(message, ref at);
            int size = (tag & 7) switch { 1 => 8, 5 => 4, 2 => (int)Varint(message, ref at), _ => 0 };
            if ((tag & 7) == 0)
            {
                Varint(message, ref at);
            }
            else if ((int)(tag >> 3) == field)
            {
                found.Add(message[at..(at + size)]);
            }

            at += size;
        }

        return found;
    }

    private static ulong Varint(byte[] message, ref int at)
    {
        ulong value = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte next = message[at++];
            value |= (ulong)(next & 0x7F) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }
    }
}
