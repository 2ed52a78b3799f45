using System.Runtime.InteropServices;
using Ambrosia.Coordinator.Records;
using Ambrosia.Inspection.Text;
using Ambrosia.LogStore.Format;
using Ambrosia.Protocol;

namespace Ambrosia.Inspection.Log;

/// <summary>
/// What the page must know of every message at once: when, from whom, which method, which kind. Made by reading the log once, in slices.
/// Messages are counted by <em>ordinals</em>, which begin with the first record read and stay what they are when the oldest are dropped to
/// bound the memory (eight bytes a message, sixteen a record).
/// </summary>
public sealed class LogIndex(int maxMessages)
{
    private const int MostSenders = ushort.MaxValue;
    private readonly List<long> _times = [];
    private readonly List<long> _starts = [];
    private readonly List<IndexedMessage> _messages = [];
    private readonly List<string> _senders = [];
    private readonly Dictionary<string, ushort> _senderNumbers = new(StringComparer.Ordinal);
    private readonly Dictionary<int, long> _methods = [];
    private readonly Dictionary<string, NumberTrack> _inputs = new(StringComparer.Ordinal);
    private readonly Dictionary<string, NumberTrack> _outputs = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _outputOffsets = new(StringComparer.Ordinal);
    private (int Start, int Length)[] _buffer = new (int, int)[256];

    /// <summary>Oldest record in it; 0 when there is none.</summary>
    public ulong FirstLsn { get; private set; }

    /// <summary>Newest record in it; 0 when there is none.</summary>
    public ulong LastLsn => FirstLsn == 0 ? 0 : FirstLsn + (ulong)_starts.Count - 1;

    /// <summary>Ordinal of the oldest message in it.</summary>
    public long First { get; private set; }

    /// <summary>Ordinal that the next message gets.</summary>
    public long End => First + _messages.Count;

    /// <summary>The last record whose outputs are known: a later one says what they were.</summary>
    public ulong DigestedThrough { get; private set; }

    /// <summary>When the oldest record was logged, in ticks; 0 when there is none.</summary>
    public long FirstTime => _times.Count == 0 ? 0 : _times[0];

    /// <summary>When the newest record was logged, in ticks.</summary>
    public long LastTime => _times.Count == 0 ? 0 : _times[^1];

    /// <summary>Senders by number.</summary>
    public IReadOnlyList<string> Senders => _senders;

    /// <summary>Methods, and how many messages each had.</summary>
    public IReadOnlyDictionary<int, long> Methods => _methods;

    /// <summary>Messages by ordinal less <see cref="First"/>.</summary>
    public ReadOnlySpan<IndexedMessage> Messages => CollectionsMarshal.AsSpan(_messages);

    /// <summary>Takes in the record behind the last one.</summary>
    public void Add(in RecordHeader header, ReadOnlyMemory<byte> body)
    {
        RecordTrailer trailer = RecordTrailer.Read(body, out ReadOnlyMemory<byte> payload);
        FirstLsn = FirstLsn == 0 ? header.Lsn.Value : FirstLsn;
        _times.Add(Math.Max(header.Timestamp, LastTime));
        _starts.Add(End);
        AddMessages(payload.Span, trailer);
        foreach (InputWatermark input in trailer.Inputs)
        {
            TrackOf(_inputs, input.Name).Add(header.Lsn.Value, input.Watermark.Replayable);
        }

        foreach (TurnDigest turn in trailer.Turns.Where(turn => turn.Lsn > DigestedThrough))
        {
            DigestedThrough = turn.Lsn;
            foreach ((string destination, int count) in turn.Counts)
            {
                NumberTrack track = TrackOf(_outputs, destination);
                track.Add(turn.Lsn, track.Last + (ulong)count);
            }
        }

        if (_messages.Count > maxMessages)
        {
            DropOldest();
        }
    }

    /// <summary>Index of the record, from <see cref="FirstLsn"/>, that holds an ordinal.</summary>
    public int RecordOf(long ordinal)
    {
        int low = 0;
        int high = _starts.Count - 1;
        while (low < high)
        {
            int middle = (low + high + 1) / 2;
            (low, high) = _starts[middle] <= ordinal ? (middle, high) : (low, middle - 1);
        }

        return low;
    }

    /// <summary>Ordinal of the first message of a record.</summary>
    public long StartOf(ulong lsn) => _starts[(int)(lsn - FirstLsn)];

    /// <summary>Ordinal after the last message of a record, by its index.</summary>
    public long EndOf(int record) => record + 1 < _starts.Count ? _starts[record + 1] : End;

    /// <summary>Where a message stands in the log.</summary>
    public MessagePosition PositionOf(long ordinal)
    {
        int record = RecordOf(ordinal);
        return new MessagePosition(FirstLsn + (ulong)record, (int)(ordinal - _starts[record]));
    }

    /// <summary>When a record was logged, in ticks.</summary>
    public long TimeOf(int record) => _times[record];

    /// <summary>The first message that was logged at this time or later.</summary>
    public long OrdinalAt(long ticks)
    {
        int at = _times.BinarySearch(ticks);
        at = at >= 0 ? at : ~at;
        while (at > 0 && at <= _times.Count && _times[at - 1] == ticks)
        {
            at--;
        }

        return at >= _times.Count ? End : _starts[at];
    }

    /// <summary>Whether a message is in it; then its ordinal.</summary>
    public bool TryFind(MessagePosition position, out long ordinal)
    {
        bool known = FirstLsn > 0 && position.Lsn >= FirstLsn && position.Lsn <= LastLsn;
        ordinal = known ? StartOf(position.Lsn) + position.Index : -1;
        return known && position.Index >= 0 && ordinal < EndOf((int)(position.Lsn - FirstLsn));
    }

    /// <summary>Number of a sender; -1 when it sent nothing.</summary>
    public int SenderNumber(string name) => _senderNumbers.TryGetValue(name, out ushort number) ? number : -1;

    /// <summary>Numbers of the messages that came from a sender; null when it is not known.</summary>
    public NumberTrack? InputsOf(string sender) => _inputs.GetValueOrDefault(sender);

    /// <summary>
    /// A checkpoint says how many messages had been made for each destination: with that, relative counts become numbers.
    /// </summary>
    public void Anchor(ulong lsn, IEnumerable<(string Destination, ulong Streamed)> outputs)
    {
        foreach ((string destination, ulong streamed) in outputs)
        {
            _outputOffsets[destination] = (long)streamed - (long)(_outputs.GetValueOrDefault(destination)?.Behind(lsn) ?? 0);
        }

        IsAnchored = true;
    }

    /// <summary>True when numbers of outputs can be told.</summary>
    public bool IsAnchored { get; private set; }

    /// <summary>
    /// What a record made the app send: destinations, the number of the first message, how many; numbers are 0 when they cannot be known.
    /// </summary>
    public IEnumerable<(string Destination, ulong First, int Count)> OutputsOf(ulong lsn)
    {
        foreach ((string destination, NumberTrack track) in _outputs)
        {
            ulong behind = track.Behind(lsn) ?? 0;
            ulong before = track.Behind(lsn - 1) ?? 0;
            if (behind > before)
            {
                long offset = _outputOffsets.GetValueOrDefault(destination);
                yield return (destination, IsAnchored ? (ulong)((long)before + offset) + 1 : 0, (int)(behind - before));
            }
        }
    }

    /// <summary>
    /// The record whose execution sent a message, with the number of the first and the last that it sent to this destination; null when it
    /// is not known.
    /// </summary>
    public (ulong Lsn, ulong First, ulong Last)? SourceOf(string destination, ulong number)
    {
        long offset = _outputOffsets.GetValueOrDefault(destination);
        if (!IsAnchored || (long)number <= offset || !_outputs.TryGetValue(destination, out NumberTrack? track)
            || track.Reaching((ulong)((long)number - offset)) is not { } source)
        {
            return null;
        }

        return (source.Lsn, (ulong)((long)source.Before + offset) + 1, (ulong)((long)source.Behind + offset));
    }

    private static NumberTrack TrackOf(Dictionary<string, NumberTrack> tracks, string name)
    {
        if (!tracks.TryGetValue(name, out NumberTrack? track))
        {
            tracks.Add(name, track = new NumberTrack());
        }

        return track;
    }

    private void AddMessages(ReadOnlySpan<byte> payload, RecordTrailer trailer)
    {
        if (_buffer.Length < trailer.MessageCount)
        {
            _buffer = new (int, int)[Math.Max(trailer.MessageCount, _buffer.Length * 2)];
        }

        int count = Math.Min(RecordMessages.Locate(payload, _buffer), trailer.MessageCount);
        int run = -1;
        int left = 0;
        ushort sender = 0;
        for (int i = 0; i < count; i++)
        {
            while (left == 0 && run + 1 < trailer.Runs.Count)
            {
                left = trailer.Runs[++run].Messages;
                sender = SenderOf(trailer.Inputs[trailer.Runs[run].InputIndex].Name);
            }

            left--;
            (int start, int length) = _buffer[i];
            RpcHeader rpc = RpcHeader.Read(RecordMessages.DataOf(payload.Slice(start, length)));
            _messages.Add(new IndexedMessage(rpc.MethodId, sender, CallText.KindOf(rpc)));
            CollectionsMarshal.GetValueRefOrAddDefault(_methods, rpc.MethodId, out _)++;
        }
    }

    private ushort SenderOf(string name)
    {
        if (!_senderNumbers.TryGetValue(name, out ushort number))
        {
            number = (ushort)Math.Min(_senders.Count, MostSenders);
            _senderNumbers.Add(name, number);
            _senders.Add(name);
        }

        return number;
    }

    // Half at once: removing from the front of a list costs as much as what stays.
    private void DropOldest()
    {
        int records = RecordOf(First + (_messages.Count / 2));
        int messages = (int)(_starts[records] - First);
        _messages.RemoveRange(0, messages);
        _times.RemoveRange(0, records);
        _starts.RemoveRange(0, records);
        First += messages;
        FirstLsn += (ulong)records;
        foreach (NumberTrack track in _inputs.Values)
        {
            track.Forget(FirstLsn);
        }
    }
}
