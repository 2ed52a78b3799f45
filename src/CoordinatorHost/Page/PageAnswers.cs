using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Log;
using Ambrosia.Inspection.Search;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;

namespace Ambrosia.CoordinatorHost.Page;

/// <summary>
/// What the page is told of a log, as JSON. Arguments go out as text: numbers of 64 bits would not survive a script's arithmetic.
/// </summary>
public sealed class PageAnswers(Func<MethodNames> known)
{
    private const int MostBuckets = 4000;
    private const int MostRows = 500;
    private const int RowsAtOnce = 20;
    private const int LargestShown = 64 * 1024;
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Makes an answer.</summary>
    public static byte[] Write(Action<Utf8JsonWriter> write)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, s_options))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        return bytes.WrittenSpan.ToArray();
    }

    /// <summary>How far the log has been read, and what there is to filter by.</summary>
    public byte[] Describe(PageLog log, IReadOnlyList<string> others, IPageSession? session) => Write(json =>
    {
        LogIndex index = log.Index;
        json.WriteString("instance", log.Instance);
        json.WriteBoolean("live", log.IsLive);
        json.WriteBoolean("complete", log.IsComplete);
        json.WriteNumber("progress", log.Progress);
        json.WriteNumber("generation", log.Generation);
        json.WriteNumber("first", index.First);
        json.WriteNumber("end", index.End);
        json.WriteNumber("firstLsn", index.FirstLsn);
        json.WriteNumber("lastLsn", index.LastLsn);
        json.WriteNumber("firstTime", PageQuery.Milliseconds(index.FirstTime));
        json.WriteNumber("lastTime", PageQuery.Milliseconds(index.LastTime));
        json.WriteString("at", session?.At);
        WriteTexts(json, "kinds", MessageKinds.Words);
        WriteTexts(json, "senders", index.Senders);
        WriteTexts(json, "logs", others);
        json.WriteStartArray("methods");
        foreach ((int id, long count) in index.Methods.OrderByDescending(static method => method.Value))
        {
            json.WriteStartObject();
            json.WriteNumber("id", id);
            json.WriteString("name", Names.NameOf(id));
            json.WriteNumber("count", count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteStartArray("checkpoints");
        foreach (ulong lsn in log.Checkpoints.Where(lsn => lsn > 0 && lsn >= index.FirstLsn && lsn <= index.LastLsn))
        {
            json.WriteStartArray();
            json.WriteNumberValue(lsn);
            json.WriteNumberValue(PageQuery.Milliseconds(index.TimeOf((int)(lsn - index.FirstLsn))));
            json.WriteEndArray();
        }

        json.WriteEndArray();
    });

    /// <summary>How many messages of each kind there were in each of equal stretches of time.</summary>
    internal static byte[] Buckets(PageLog log, PageQuery query, MessageFilter filter)
    {
        LogIndex index = log.Index;
        long from = query.Ticks("t0", index.FirstTime);
        long to = Math.Max(from + 1, query.Ticks("t1", index.LastTime + 1));
        int count = (int)query.Whole("n", 600, 1, MostBuckets);
        var counts = new int[MessageKinds.Words.Length][];
        long total = 0;
        long ordinal = index.OrdinalAt(from);
        ReadOnlySpan<IndexedMessage> messages = index.Messages;
        for (int record = ordinal < index.End ? index.RecordOf(ordinal)
            : int.MaxValue; ordinal < index.End && index.TimeOf(record) < to; record++)
        {
            // As 128 bits: a span of years times thousands of buckets does not fit 64.
            int bucket = (int)((Int128)(index.TimeOf(record) - from) * count / (to - from));
            for (long end = index.EndOf(record); ordinal < end; ordinal++)
            {
                ref readonly IndexedMessage message = ref messages[(int)(ordinal - index.First)];
                if (filter.Matches(message, ordinal))
                {
                    (counts[(int)message.Kind] ??= new int[count])[bucket]++;
                    total++;
                }
            }
        }

        return Write(json =>
        {
            json.WriteNumber("t0", PageQuery.Milliseconds(from));
            json.WriteNumber("t1", PageQuery.Milliseconds(to));
            json.WriteNumber("n", count);
            json.WriteNumber("total", total);
            WriteSearched(json, index, filter);
            json.WriteStartObject("counts");
            for (int kind = 0; kind < counts.Length; kind++)
            {
                if (counts[kind] is { } numbers)
                {
                    json.WriteStartArray(MessageKinds.Words[kind]);
                    Array.ForEach(numbers, json.WriteNumberValue);
                    json.WriteEndArray();
                }
            }

            json.WriteEndObject();
        });
    }

    /// <summary>
    /// Messages that pass, from an ordinal on, or before one: as many as there is time for, without a gap towards that ordinal.
    /// </summary>
    internal async Task<byte[]> RowsAsync(PageLog log, PageQuery query, MessageFilter filter)
    {
        LogIndex index = log.Index;
        int most = (int)query.Whole("n", 100, 1, MostRows);
        long before = query.Whole("before", -1, -1, index.End);
        List<long> chosen = before >= 0 ? Before(index, filter, before, most)
            : From(index, filter, query.Whole("from", index.First, index.First, index.End), most);
        Func<bool> isTimeUp = log.Budget();
        var rows = new List<(long Ordinal, PageRecord? Record, MessagePosition At)>(chosen.Count);
        while (rows.Count < chosen.Count && (rows.Count == 0 || !isTimeUp()))
        {
            // Records are read forwards, also when the messages nearest to the end are wanted most.
            int count = Math.Min(RowsAtOnce, chosen.Count - rows.Count);
            int first = before >= 0 ? chosen.Count - rows.Count - count : rows.Count;
            int place = before >= 0 ? 0 : rows.Count;
            foreach (long ordinal in chosen.GetRange(first, count))
            {
                MessagePosition at = index.PositionOf(ordinal);
                rows.Insert(place++, (ordinal, await log.ReadAsync(at.Lsn), at));
            }
        }

        return Write(json =>
        {
            json.WriteBoolean("cut", rows.Count < chosen.Count);
            WriteSearched(json, index, filter);
            json.WriteStartArray("rows");
            rows.ForEach(row => WriteRow(json, row.Ordinal, row.Record, row.At));
            json.WriteEndArray();
        });
    }

    /// <summary>Everything about one message.</summary>
    public byte[] Details(PageLog log, PageRecord record, MessagePosition at, long ordinal) => Write(json =>
    {
        RpcHeader rpc = record[at.Index];
        MessageKind kind = CallText.KindOf(rpc);
        WriteHead(json, ordinal, record, at);
        json.WriteString("time", new DateTime(Math.Clamp(record.Ticks, 0, DateTime.MaxValue.Ticks), DateTimeKind.Utc).ToString("O"));
        json.WriteNumber("id", rpc.MethodId);
        json.WriteNumber("bytes", record.SizeOf(at.Index));
        json.WriteNumber("epoch", record.Epoch);
        json.WriteNumber("inRecord", record.Count);
        WriteTexts(json, "parameters", Names.ParametersOf(rpc.MethodId));
        json.WriteString("body", rpc.Body.Length > LargestShown ? Large(rpc.Body) : CallText.Indented(rpc.Body));
        if (kind is MessageKind.Call or MessageKind.Reply or MessageKind.Exception)
        {
            json.WriteNumber("callNumber", rpc.CallNumber);
        }

        if (record.NumberOf(at.Index) is { } number)
        {
            json.WriteNumber("number", number);
        }

        json.WriteBoolean("outputsKnown", record.Lsn <= log.Index.DigestedThrough);
        json.WriteStartArray("outputs");
        foreach ((string destination, ulong first, int count) in log.Index.OutputsOf(record.Lsn))
        {
            json.WriteStartObject();
            json.WriteString("to", destination);
            json.WriteNumber("first", first);
            json.WriteNumber("count", count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    });

    private MethodNames Names => known();

    private static void WriteSearched(Utf8JsonWriter json, LogIndex index, MessageFilter filter) =>
        json.WriteNumber("searched", filter.Search is { } search && index.End > index.First
            ? (double)(search.End - index.First) / (index.End - index.First) : 1);

    private static List<long> From(LogIndex index, MessageFilter filter, long from, int most)
    {
        var chosen = new List<long>(most);
        ReadOnlySpan<IndexedMessage> messages = index.Messages;
        for (long ordinal = from; ordinal < index.End && chosen.Count < most; ordinal++)
        {
            if (filter.Matches(messages[(int)(ordinal - index.First)], ordinal))
            {
                chosen.Add(ordinal);
            }
        }

        return chosen;
    }

    private static List<long> Before(LogIndex index, MessageFilter filter, long before, int most)
    {
        var chosen = new List<long>(most);
        ReadOnlySpan<IndexedMessage> messages = index.Messages;
        for (long ordinal = before - 1; ordinal >= index.First && chosen.Count < most; ordinal--)
        {
            if (filter.Matches(messages[(int)(ordinal - index.First)], ordinal))
            {
                chosen.Add(ordinal);
            }
        }

        chosen.Reverse();
        return chosen;
    }

    private void WriteRow(Utf8JsonWriter json, long ordinal, PageRecord? record, MessagePosition at)
    {
        json.WriteStartObject();
        if (record is not null && at.Index < record.Count)
        {
            WriteHead(json, ordinal, record, at);
        }
        else
        {
            json.WriteNumber("o", ordinal); // Deleted since it was indexed.
            json.WriteString("p", at.ToString());
        }

        json.WriteEndObject();
    }

    private void WriteHead(Utf8JsonWriter json, long ordinal, PageRecord record, MessagePosition at)
    {
        RpcHeader rpc = record[at.Index];
        MessageKind kind = CallText.KindOf(rpc);
        json.WriteNumber("o", ordinal);
        json.WriteString("p", at.ToString());
        json.WriteNumber("t", PageQuery.Milliseconds(record.Ticks));
        json.WriteString("kind", kind.Word());
        json.WriteString("from", record.SenderOf(at.Index));
        json.WriteString("method", Names.NameOf(rpc.MethodId, rpc.Body));
        json.WriteString("content", rpc.Body.Length > LargestShown ? Large(rpc.Body)
            : CallText.Content(kind, rpc.MethodId, rpc.Body, Names));
    }

    private static string Large(ReadOnlySpan<byte> body) => $"0x{Convert.ToHexString(body[..64])}... ({body.Length} bytes)";

    private static void WriteTexts(Utf8JsonWriter json, string name, IEnumerable<string> texts)
    {
        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }
}
