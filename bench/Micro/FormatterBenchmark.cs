using System.Buffers;
using System.Text.Json;
using Ambrosia.Generated;
using Ambrosia.Serialization;
using BenchmarkDotNet.Attributes;

namespace Ambrosia.Bench.Micro;

/// <summary>An argument written and read by its generated formatter, and by .NET's own generated JSON serializer.</summary>
public class FormatterBenchmark
{
    private readonly Transfer _transfer =
        new("savings of Ada", "Grace", 1234.56m, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), [1, 2, 300, 40_000]);
    private readonly ArrayBufferWriter<byte> _buffer = new(1024);

    [Benchmark]
    public Transfer MessagePack()
    {
        _buffer.ResetWrittenCount();
        var writer = new MessagePackWriter(_buffer);
        Write<TransferFormatter_c02ab9f0>(ref writer);
        writer.Flush();
        var reader = new MessagePackReader(_buffer.WrittenSpan);
        return Read<TransferFormatter_c02ab9f0>(ref reader);
    }

    [Benchmark(Baseline = true)]
    public Transfer Json()
    {
        _buffer.ResetWrittenCount();
        using (var writer = new Utf8JsonWriter(_buffer))
        {
            JsonSerializer.Serialize(writer, _transfer, JsonTransfer.Default.Transfer);
        }

        return JsonSerializer.Deserialize(_buffer.WrittenSpan, JsonTransfer.Default.Transfer)!;
    }

    private void Write<TFormatter>(ref MessagePackWriter writer)
        where TFormatter : struct, IFormatter<Transfer> => default(TFormatter).Write(ref writer, _transfer);

    private static Transfer Read<TFormatter>(ref MessagePackReader reader)
        where TFormatter : struct, IFormatter<Transfer> => default(TFormatter).Read(ref reader);
}
