using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// What the turns of one immortal send, in wire form: each message is written once, straight into the page, and consecutive
/// messages to one destination share one Outputs header. Used by the dispatching thread only. Nothing is allocated per message.
/// </summary>
internal sealed class OutgoingPage : IBufferWriter<byte>
{
    // Size and type of the Outputs message, destination index, count; each at its longest.
    private const int RunHeaderRoom = Varint.MaxSize32 + 1 + Varint.MaxSize32 + Varint.MaxSize32;
    private const long LargestTurn = 1L << 30;
    private readonly Queue<OutgoingChunk> _full = new();
    private readonly int _chunkSize;
    private OutgoingChunk _chunk;
    private byte[] _buffer;
    private int _position;
    private int _runStart = -1; // First byte after the room for the header; -1: no run is open.
    private int _runCount;
    private int _runDestination = -1;
    private int _messageStart = -1; // -1: no message is open.
    private int _prefixSize;
    private long _fullBytes;

    /// <summary>An empty page.</summary>
    /// <param name="chunkSize">Bytes of one buffer; a larger message gets a buffer of its own.</param>
    /// <param name="maxMessageBytes">Largest message that the coordinator accepts; see <see cref="MaxMessageBytes"/>.</param>
    public OutgoingPage(int chunkSize, long maxMessageBytes)
    {
        _chunkSize = chunkSize;
        MaxMessageBytes = maxMessageBytes;
        _chunk = new OutgoingChunk(chunkSize);
        _buffer = _chunk.Buffer;
    }

    /// <summary>Bytes written since the page was last taken.</summary>
    public long Bytes => _fullBytes + _position;

    /// <summary>Messages written in this life of the page; the tests and the benchmark read it.</summary>
    public long MessageCount { get; private set; }

    /// <summary>
    /// Largest message that a handler may send. Set between records: a replay repeats what was allowed when a record was new.
    /// </summary>
    public long MaxMessageBytes { get; set; }

    /// <summary>Identifies the open message, so that a nested send, or one that was left open, is noticed.</summary>
    public int MessageToken { get; private set; }

    /// <summary>
    /// Opens a message of type 0 to the destination. A message that was left open (its arguments could not be serialized) is dropped.
    /// </summary>
    /// <param name="destination">The destination's index.</param>
    /// <param name="sizeHint">Estimated size of what follows; a wrong one costs a move of the message, nothing else.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void BeginMessage(int destination, int sizeHint)
    {
        AbandonMessage();
        // After a message that got a buffer of its own nothing follows: with it the run could exceed the coordinator's limit.
        if (_runDestination != destination || _position > _chunkSize)
        {
            StartRun(destination);
        }

        // Zig-zag doubles the number: six bits of size fit the first byte.
        int prefix = sizeHint < 60 ? 1 : Varint.SizeZigZag(sizeHint + 1L);
        if (_buffer.Length - _position < prefix + 1 + Varint.MaxSize64)
        {
            NextChunk(prefix + 1 + sizeHint);
        }

        _messageStart = _position;
        _prefixSize = prefix;
        _position += prefix;
        _buffer[_position++] = (byte)BindingMessageType.Rpc;
        MessageToken++;
    }

    /// <summary>Closes the message: fills in its size.</summary>
    /// <exception cref="InvalidOperationException">Another message was begun since, or the message is larger than the coordinator
    /// accepts.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void EndMessage(int token)
    {
        if (token != MessageToken || _messageStart < 0)
        {
            throw new InvalidOperationException("A call was begun while the arguments of another one were being written.");
        }

        int size = _position - _messageStart - _prefixSize;
        if (_prefixSize == 1 && size < 64)
        {
            _buffer[_messageStart] = (byte)(size << 1);
        }
        else
        {
            WriteLongPrefix(size);
        }

        _messageStart = -1;
        _runCount++;
        MessageCount++;
    }

    /// <summary>Drops the open message, if there is one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AbandonMessage()
    {
        if (_messageStart >= 0)
        {
            _position = _messageStart;
            _messageStart = -1;
        }
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        Debug.Assert(count >= 0 && count <= _buffer.Length - _position, "Advanced past the span that was given.");
        _position += count;
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        if (_buffer.Length - _position < Math.Max(sizeHint, 1))
        {
            NextChunk(sizeHint);
        }

        return _buffer.AsSpan(_position);
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        GetSpan(sizeHint);
        return _buffer.AsMemory(_position);
    }

    /// <summary>Ends the turns so far: what was written since the last mark may leave the machine.</summary>
    public void MarkProgress(in Progress progress)
    {
        Span<byte> data = stackalloc byte[Progress.MaxSize];
        WriteControl(BindingMessageType.Progress, data[..progress.Write(data)]);
    }

    /// <summary>Writes a message of another type, between runs.</summary>
    public void WriteControl(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        AbandonMessage();
        CloseRun();
        int needed = Varint.MaxSize32 + 1 + data.Length;
        if (_buffer.Length - _position < needed)
        {
            NextChunk(needed);
        }

        int start = _position;
        _position += Varint.WriteZigZag(_buffer.AsSpan(_position), data.Length + 1);
        _buffer[_position++] = (byte)type;
        data.CopyTo(_buffer.AsSpan(_position));
        _position += data.Length;
        _chunk.Add(start, _position - start);
    }

    /// <summary>Closes what is open and moves the chunks to be sent to <paramref name="destination"/>.</summary>
    public void TakeAll(Queue<OutgoingChunk> destination)
    {
        AbandonMessage();
        CloseRun();
        while (_full.TryDequeue(out OutgoingChunk? full))
        {
            destination.Enqueue(full);
        }

        if (_chunk.Length > 0)
        {
            destination.Enqueue(_chunk);
            _chunk = new OutgoingChunk(_chunkSize);
            _buffer = _chunk.Buffer;
        }

        _position = 0;
        _fullBytes = 0;
    }

    /// <summary>Gives every buffer back.</summary>
    public void Release()
    {
        while (_full.TryDequeue(out OutgoingChunk? full))
        {
            full.Release();
        }

        _chunk.Release();
        _buffer = [];
    }

    private void StartRun(int destination)
    {
        CloseRun();
        if (_buffer.Length - _position < RunHeaderRoom || _position > _chunkSize)
        {
            NextChunk(RunHeaderRoom);
        }

        _runDestination = destination;
        _position += RunHeaderRoom;
        _runStart = _position;
    }

    private void CloseRun()
    {
        if (_runStart < 0)
        {
            return;
        }

        if (_runCount == 0)
        {
            _position = _runStart - RunHeaderRoom;
        }
        else
        {
            WriteRunHeader(_position);
        }

        _runStart = -1;
        _runCount = 0;
        _runDestination = -1;
    }

    // The header is put right in front of its messages, so the room that it does not need becomes a gap between two ranges.
    private void WriteRunHeader(int end)
    {
        Span<byte> header = stackalloc byte[2 * Varint.MaxSize32];
        int fields = Varint.Write(header, (ulong)_runDestination);
        fields += Varint.Write(header[fields..], (ulong)_runCount);
        int size = 1 + fields + (end - _runStart);
        int start = _runStart - fields - 1 - Varint.SizeZigZag(size);
        int at = start + Varint.WriteZigZag(_buffer.AsSpan(start), size);
        _buffer[at++] = (byte)BindingMessageType.Outputs;
        header[..fields].CopyTo(_buffer.AsSpan(at));
        _chunk.Add(start, end - start);
    }

    private void WriteLongPrefix(int size)
    {
        if (size > MaxMessageBytes)
        {
            AbandonMessage();
            throw new InvalidOperationException(
                $"A message of {size} bytes is larger than the coordinator accepts ({MaxMessageBytes}): split it, or raise "
                + $"--max-message-size.");
        }

        if (_runCount > 0 && _position - _runStart > MaxMessageBytes)
        {
            NextChunk(0); // A buffer may have room for more than one run may hold: the message begins a run of its own.
        }

        int needed = Varint.SizeZigZag(size);
        if (needed != _prefixSize)
        {
            MoveMessage(needed, size);
        }

        Varint.WriteZigZag(_buffer.AsSpan(_messageStart), size);
    }

    private void MoveMessage(int prefix, int size)
    {
        if (prefix > _prefixSize)
        {
            GetSpan(prefix - _prefixSize); // May take the message to another chunk.
        }

        Buffer.BlockCopy(_buffer, _messageStart + _prefixSize, _buffer, _messageStart + prefix, size);
        _prefixSize = prefix;
        _position = _messageStart + prefix + size;
    }

    // Messages are never split over chunks: the part of an open one that is already there moves along.
    private void NextChunk(int room)
    {
        if (_fullBytes > LargestTurn)
        {
            throw new InvalidOperationException(
                "One handler sent more than 1 GiB before it returned or awaited: let it await in between, or do its work in "
                + "several messages.");
        }

        int open = _messageStart >= 0 ? _position - _messageStart : 0;
        long needed = (long)RunHeaderRoom + open + Math.Max(room, Math.Min(open, 1 << 26)) + 16;
        var next = new OutgoingChunk((int)Math.Min(Math.Max(needed, _chunkSize), Array.MaxLength));
        bool inRun = _runStart >= 0;
        int start = 0;
        if (inRun)
        {
            start = RunHeaderRoom;
            Buffer.BlockCopy(_buffer, _position - open, next.Buffer, start, open);
            if (_runCount > 0)
            {
                WriteRunHeader(_position - open);
            }
        }

        Retire(_position - open);
        _chunk = next;
        _buffer = next.Buffer;
        _position = start + open;
        if (inRun)
        {
            _runStart = start;
            _runCount = 0;
            _messageStart = _messageStart >= 0 ? start : -1;
        }
    }

    private void Retire(int bytes)
    {
        if (_chunk.Length > 0)
        {
            _full.Enqueue(_chunk);
            _fullBytes += bytes;
        }
        else
        {
            _chunk.Release();
        }
    }
}
