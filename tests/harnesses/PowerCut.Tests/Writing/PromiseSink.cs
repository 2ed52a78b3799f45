using System.Buffers.Binary;
using System.Security.Cryptography;
using Ambrosia.LogStore.Append;
using Ambrosia.Primitives;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>Notes what the log reports durable. Its trailer is the number of messages in the page.</summary>
internal sealed class PromiseSink(Promise promise, long[] reached) : IRecordSink
{
    public const int TrailerSize = sizeof(int);
    private readonly long[] _reached = [.. reached];
    private readonly object _gate = new();
    private ulong _lsn;

    /// <summary>The newest durable record and the numbers reached with it.</summary>
    public (ulong Lsn, long[] Reached) Position
    {
        get
        {
            lock (_gate)
            {
                return (_lsn, [.. _reached]);
            }
        }
    }

    public static uint Checksum(ReadOnlySpan<byte> body)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(body, hash);
        return BinaryPrimitives.ReadUInt32LittleEndian(hash);
    }

    public static void Count(object pageContext) => Interlocked.Increment(ref ((Counter)pageContext).Count);

    public object CreatePageContext() => new Counter();

    public int MaxTrailerSize(object pageContext) => TrailerSize;

    public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft)
    {
        BinaryPrimitives.WriteInt32LittleEndian(destination, ((Counter)pageContext).Count);
        return TrailerSize;
    }

    public void OnDurable(DurableRecord record)
    {
        ((Counter)record.PageContext).Count = 0;
        ReadOnlySpan<byte> left = record.Payload.Span;
        lock (_gate)
        {
            while (!left.IsEmpty)
            {
                (int publisher, long number) = Message.Take(ref left);
                _reached[publisher] = number;
            }

            _lsn = record.Header.Lsn.Value;
            promise.RecordIsDurable(_lsn, Checksum(record.Body.Span), _reached);
        }

        record.Dispose();
    }

    private sealed class Counter
    {
        public int Count;
    }
}
