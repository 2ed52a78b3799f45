using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.Inspection.Search;

/// <summary>
/// Which messages hold a text, as far as the log has been searched: it is read once more, in slices, one bit for each message.
/// </summary>
public sealed class TextSearch : IAsyncDisposable
{
    private readonly ArgumentSearch _search;
    private readonly LogReader _reader;
    private readonly long _first;
    private readonly List<ulong> _bits = [];
    private (int Start, int Length)[] _buffer = new (int, int)[256];

    /// <summary>Begins with the record that the reader is at, whose first message has this ordinal.</summary>
    public TextSearch(string text, long first, LogReader reader)
    {
        (Text, _search, _reader, _first, End) = (text, new ArgumentSearch(text), reader, first, first);
    }

    /// <summary>What is looked for.</summary>
    public string Text { get; }

    /// <summary>Ordinal of the first message not searched yet.</summary>
    public long End { get; private set; }

    /// <summary>Whether a message that has been searched holds the text.</summary>
    public bool Holds(long ordinal)
    {
        long bit = ordinal - _first;
        return ordinal < End && bit >= 0 && (_bits[(int)(bit >> 6)] & (1UL << (int)(bit & 63))) != 0;
    }

    /// <summary>Searches on up to a record, until the time is up; false when the log no longer holds what comes next.</summary>
    public async ValueTask<bool> AdvanceAsync(ulong through, Func<bool> isTimeUp)
    {
        while (_reader.NextLsn.Value <= through && !isTimeUp())
        {
            switch (await _reader.ReadAsync())
            {
                case ReadOutcome.Record:
                    Search(_reader.Body);
                    break;
                case ReadOutcome.Trimmed:
                    return false;
                default:
                    return true;
            }
        }

        return true;
    }

    public ValueTask DisposeAsync() => _reader.DisposeAsync();

    private void Search(ReadOnlyMemory<byte> body)
    {
        int count = RecordTrailer.ReadMessageCount(body, out ReadOnlyMemory<byte> payload);
        if (_buffer.Length < count)
        {
            _buffer = new (int, int)[Math.Max(count, _buffer.Length * 2)];
        }

        count = Math.Min(count, RecordMessages.Locate(payload.Span, _buffer));
        for (int i = 0; i < count; i++)
        {
            long bit = End++ - _first;
            if (bit >> 6 == _bits.Count)
            {
                _bits.Add(0);
            }

            if (_search.IsIn(RpcHeader.Read(RecordMessages.DataOf(payload.Span.Slice(_buffer[i].Start, _buffer[i].Length))).Body))
            {
                _bits[^1] |= 1UL << (int)(bit & 63);
            }
        }
    }
}
