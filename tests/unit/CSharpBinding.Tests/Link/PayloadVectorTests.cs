using System.Buffers;
using System.Text.Json;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Link;

/// <summary>The byte vectors of records' payloads, which bindings in every language must walk in the same way (G10).</summary>
public sealed class PayloadVectorTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(int.MaxValue)]
    public void Payloads_of_the_vectors_give_their_messages_however_the_stream_is_cut(int piece)
    {
        int seen = 0;
        foreach (JsonElement vector in Payloads().Where(v => v.TryGetProperty("fields", out _)))
        {
            IEnumerable<string> expected = vector.GetProperty("fields").GetProperty("rpcs").EnumerateArray()
                .Select(r => $"rpc {r.GetString()!.ToUpperInvariant()}").Append("end");

            Assert.Equal(expected, Read(vector, piece).Skip(1));
            seen++;
        }

        Assert.NotEqual(0, seen);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(int.MaxValue)]
    public void Invalid_payloads_of_the_vectors_are_refused_however_the_stream_is_cut(int piece)
    {
        int seen = 0;
        foreach (JsonElement vector in Payloads().Where(v => v.TryGetProperty("invalid", out _)))
        {
            Assert.Throws<ProtocolException>(() => Read(vector, piece));
            seen++;
        }

        Assert.NotEqual(0, seen);
    }

    private static List<JsonElement> Payloads()
    {
        using JsonDocument document =
            JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "binding-link.json")));
        return [.. document.RootElement.EnumerateArray().Where(v => v.GetProperty("structure").GetString() == "payload")
            .Select(v => v.Clone())];
    }

    private static List<string> Read(JsonElement vector, int piece)
    {
        var bytes = new ByteReader(Convert.FromHexString(vector.GetProperty("hex").GetString()!));
        int announced = (int)bytes.ReadVarint("announced");
        byte[] payload = bytes.Rest.ToArray();
        byte[] info = new byte[RecordInfo.MaxSize];
        int size = new RecordInfo(9, 3, 0, announced, payload.Length, 0).Write(info);
        byte[] stream = [.. TestMessage.Frame(BindingMessageType.RecordInfo, info.AsSpan(0, size)), .. payload];
        var receiver = new RecordingReceiver();
        using var reader = new LinkReader(receiver);
        ReadOnlySequence<byte> buffer = Segments.Of(stream, piece);
        reader.Read(ref buffer);
        return receiver.Seen;
    }
}
