using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.Cli.Tests.History;

/// <summary>The log of an instance, each record a trailer of format 1 that a test composes (docs/internals/log-format.md).</summary>
internal sealed class HandMadeLog(string store, string instance)
{
    private readonly Sink _sink = new();

    /// <summary>Its identity, once a record was written.</summary>
    public Guid Id { get; private set; }

    /// <summary>Opens an epoch and writes records: each a trailer.</summary>
    public async Task LiveAsync(params byte[][] trailers)
    {
        var options = new LogStoreOptions { Cluster = "default" };
        await using WriteAheadLog log = await LogStores.OpenLogAsync(store, instance, options, new LogStoreEnvironment());
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(lease);
        Id = Guid.ParseExact(log.InstanceId.ToString(), "N");
        LogAppender appender = log.StartAppending(_sink);
        foreach (byte[] trailer in trailers)
        {
            _sink.Next = trailer;
            Assert.True(appender.TryReserve(1, out PageReservation payload)); // Nobody looks into it.
            payload.Publish();
            await appender.FlushAsync();
        }
    }

    /// <summary>A record in which this many of a sender's messages are received in all.</summary>
    public static byte[] Received(string sender, Guid id, int count, int epoch) => Trailer(0, inputs: writer =>
    {
        writer.Write7BitEncodedInt(1);
        writer.Write(sender);
        writer.Write(id.ToByteArray());
        writer.Write7BitEncodedInt(count);
        writer.Write7BitEncodedInt(count);
        writer.Write7BitEncodedInt(epoch);
    });

    /// <summary>A record that says how many messages a destination has confirmed.</summary>
    public static byte[] Confirmed(string destination, Guid id, int count) => Trailer(0, trims: writer =>
    {
        writer.Write7BitEncodedInt(1);
        writer.Write(destination);
        writer.Write7BitEncodedInt(count);
        writer.Write7BitEncodedInt(1);
        writer.Write(id.ToByteArray());
    });

    /// <summary>A record with the digest of an earlier one, which has sent this many messages.</summary>
    public static byte[] Sent(ulong lsn, string destination, int count) => Trailer(0, turns: writer =>
    {
        writer.Write7BitEncodedInt(1);
        writer.Write7BitEncodedInt64((long)lsn);
        writer.Write(0UL);
        writer.Write7BitEncodedInt(1);
        writer.Write(destination);
        writer.Write7BitEncodedInt(count);
    });

    /// <summary>A record that says that it holds a message.</summary>
    public static byte[] Message() => Trailer(1);

    private static byte[] Trailer(int messages, Action<BinaryWriter>? inputs = null, Action<BinaryWriter>? trims = null,
        Action<BinaryWriter>? turns = null)
    {
        using var bytes = new MemoryStream();
        using var writer = new BinaryWriter(bytes);
        writer.Write7BitEncodedInt(1);
        writer.Write7BitEncodedInt(messages);
        (inputs ?? None)(writer);
        None(writer); // Runs.
        (trims ?? None)(writer);
        (turns ?? None)(writer);
        writer.Write((int)bytes.Length);
        return bytes.ToArray();
    }

    private static void None(BinaryWriter writer) => writer.Write7BitEncodedInt(0);

    private sealed class Sink : IRecordSink
    {
        public byte[] Next { get; set; } = [];

        public object CreatePageContext() => this;

        public int MaxTrailerSize(object pageContext) => Next.Length;

        public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft)
        {
            Next.CopyTo(destination);
            return Next.Length;
        }

        public void OnDurable(DurableRecord record) => record.Dispose();
    }
}
