using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.Protocol;
using Ambrosia.Serialization;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// An app that speaks version 2 of the binding link by itself and, where it may choose, does what the real binding never does: it flushes in the middle of
/// turns and of checkpoints, and announces the ends of turns one by one. It understands the calls of <see cref="IWalker"/>, and awaits nothing.
/// </summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001", Justification = "RunAsync disposes the connection that it opens; a killed process disposes nothing.")]
internal sealed class ScriptedApp(
    VirtualLoop loop, VirtualProcess process, AppLife life, ITransport transport, EndPointName address, Workload workload, SimOracle oracle) : ISimApp
{
    private const int LongestHead = 64;
    private static readonly WalkerMethods s_methods = WalkerMethods.Find();
    private readonly Dictionary<string, ulong> _generated = [];
    private readonly Dictionary<string, int> _destinations = [];
    private readonly List<(string To, byte[] Message)> _outputs = [];
    private readonly Queue<(string To, ulong Id, int Depth)> _waitingImpulses = new();
    private TappedConnection _connection = null!;
    private ulong _hash;
    private bool _primary;
    private RecordInfo _record;
    private int _index;

    public bool IsPrimary => _primary && !Ended;

    public bool IsIdle => IsPrimary && _waitingImpulses.Count == 0;

    public bool Ended { get; private set; }

    public string? Trouble { get; private set; }

    public AppLife Life => life;

    private string Instance => life.Instance;

    public async Task RunAsync()
    {
        try
        {
            byte[] incarnation = new byte[16];
            process.Fill(incarnation);
            _connection = new TappedConnection(await transport.ConnectAsync(address, CancellationToken.None), life);
            Write(BindingMessageType.Hello, new BindingHello(2, 2, 0, new Guid(incarnation), "sim", "1", "", "", Instance, "").Write);
            await FlushAsync();
            await ReadAsync();
        }
        catch (IOException)
        {
            // The coordinator has gone, or is not there yet.
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Trouble = $"the app of {Instance} failed: {error}";
        }
        finally
        {
            Ended = true;
            if (_connection is not null)
            {
                await _connection.DisposeAsync();
            }
        }
    }

    /// <summary>Sent by the app's one thread when it is between turns.</summary>
    public void SendImpulse(string to, ulong id, int depth)
    {
        if (IsPrimary)
        {
            _waitingImpulses.Enqueue((to, id, depth));
            _connection.Input.CancelPendingRead();
        }
    }

    private async Task ReadAsync()
    {
        PipeReader input = _connection.Input;
        while (true)
        {
            ReadResult result = await input.ReadAsync();
            ReadOnlySequence<byte> buffer = result.Buffer;
            while (TryRead(buffer, out BindingMessageType type, out byte[] data, out long size))
            {
                buffer = buffer.Slice(size);
                if (type == BindingMessageType.Checkpoint)
                {
                    Varint.TryReadZigZag(data, out long bytes, out _);
                    input.AdvanceTo(buffer.Start);
                    await RestoreAsync(input, bytes);
                    buffer = default;
                    break;
                }

                await TakeAsync(type, data);
            }

            if (!buffer.Equals(default(ReadOnlySequence<byte>)))
            {
                input.AdvanceTo(buffer.Start, buffer.End);
            }

            await SendImpulsesAsync();
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    private async ValueTask SendImpulsesAsync()
    {
        while (_waitingImpulses.TryDequeue(out (string To, ulong Id, int Depth) impulse))
        {
            WriteRun(BindingMessageType.Impulses, impulse.To, [Call(s_methods.Poke, RpcKind.Impulse, impulse.Id, impulse.Depth)]);
            await FlushAsync();
        }
    }

    private static bool TryRead(ReadOnlySequence<byte> buffer, out BindingMessageType type, out byte[] data, out long size)
    {
        (type, data, size) = (default, [], 0);
        byte[] head = buffer.Slice(0, Math.Min(buffer.Length, 11)).ToArray();
        if (!Varint.TryReadZigZag(head, out long length, out int prefix) || buffer.Length < prefix + length)
        {
            return false;
        }

        size = prefix + length;
        type = (BindingMessageType)buffer.Slice(prefix, 1).FirstSpan[0];
        data = buffer.Slice(prefix + 1, length - 1).ToArray();
        return true;
    }

    private async ValueTask TakeAsync(BindingMessageType type, byte[] data)
    {
        switch (type)
        {
            case BindingMessageType.Refused:
                _connection.Abort();
                break;
            case BindingMessageType.TakeBecomingPrimaryCheckpoint:
                byte[] initial = Call(s_methods.Walk, RpcKind.Fork, Bits.Hash(Instance), depth: 4);
                Write(BindingMessageType.InitialMessage, writer => writer.Write(initial));
                await SaveAsync();
                break;
            case BindingMessageType.BecomingPrimary:
                _primary = true;
                Write(BindingMessageType.BecomingPrimary, static _ => { });
                await FlushAsync();
                break;
            case BindingMessageType.TakeCheckpoint:
                await SaveAsync();
                break;
            case BindingMessageType.RecordInfo:
                _record = RecordInfo.Read(data);
                _index = 0;
                if (_record.MessageCount == 0)
                {
                    await EndTurnsAsync();
                }

                break;
            case BindingMessageType.Rpc:
                await ExecuteAsync(data);
                break;
            case BindingMessageType.CountReplayableRpcBatch:
                await ExecuteBatchAsync(data);
                break;
            default:
                break;
        }
    }

    private async ValueTask ExecuteBatchAsync(byte[] data)
    {
        var messages = new List<byte[]>();
        Split(data, messages);
        foreach (byte[] message in messages)
        {
            await ExecuteAsync(message);
        }
    }

    private static void Split(byte[] data, List<byte[]> messages)
    {
        var reader = new ByteReader(data);
        reader.ReadZigZag("count");
        reader.ReadZigZag("replayable");
        var scanner = new MessageScanner(reader.Rest);
        while (scanner.MoveNext())
        {
            messages.Add(scanner.Data.ToArray());
        }
    }

    private async ValueTask ExecuteAsync(byte[] data)
    {
        ulong id = Decode(data, out int depth);
        oracle.State(Instance, _record.Lsn, _index, 0, _hash);
        _hash = Bits.Mix(_hash, id);
        for (int i = 0; i < (depth > 0 ? workload.StepsOf(id) : 0); i++)
        {
            ulong child = Bits.Mix(id, 100 + (ulong)i);
            Emit(workload.DestinationOf(child), Call(s_methods.Walk, RpcKind.Fork, child, depth - 1));
        }

        Answer(data, id);
        _index++;
        if (_index == _record.MessageCount || loop.Random.Next(4) == 0)
        {
            // Where a page is flushed is not part of the state: it may differ in every life.
            await EndTurnsAsync();
        }
    }

    private ulong Decode(byte[] data, out int depth)
    {
        var arguments = new MessagePackReader(RpcHeader.Read(data).Body);
        arguments.ReadArrayHeader();
        ulong id = arguments.ReadUInt64();
        depth = arguments.ReadInt32();
        oracle.Require(workload.IsLoadOf(id, arguments.ReadBinary()), $"{Instance}: message {id} arrived with another load");
        return id;
    }

    private void Answer(byte[] data, ulong id)
    {
        RpcHeader header = RpcHeader.Read(data);
        if (header.Kind != RpcKind.Async)
        {
            return;
        }

        byte[] body = new byte[LongestHead];
        int size = WriteHead(body, RpcForm.Value, header.MethodId, RpcKind.Fork);
        size += Varint.WriteZigZag(body.AsSpan(size), header.CallNumber);
        body[size++] = 0xCF; // MessagePack: an unsigned number of 64 bits.
        BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(size), Workload.AnswerTo(id));
        Emit(header.CallerName, Wrap(body.AsSpan(0, size + 8)));
    }

    private void Emit(string to, byte[] message)
    {
        _generated[to] = _generated.GetValueOrDefault(to) + 1;
        _outputs.Add((to, message));
    }

    private byte[] Call(int method, RpcKind kind, ulong id, int depth)
    {
        byte[] load = workload.LoadOf(id);
        byte[] body = new byte[LongestHead + load.Length];
        int size = WriteHead(body, RpcForm.Call, method, kind);
        body[size++] = 0x93; // MessagePack: an array of three.
        body[size++] = 0xCF;
        BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(size), id);
        size += 8;
        body[size++] = (byte)Math.Max(0, depth);
        body[size++] = 0xC6; // Bytes, their count in 32 bits.
        BinaryPrimitives.WriteInt32BigEndian(body.AsSpan(size), load.Length);
        load.CopyTo(body, size + 4);
        return Wrap(body.AsSpan(0, size + 4 + load.Length));
    }

    private static int WriteHead(Span<byte> body, RpcForm form, int method, RpcKind kind)
    {
        body[0] = (byte)form;
        int size = 1 + Varint.WriteZigZag(body[1..], method);
        body[size] = (byte)kind;
        return size + 1;
    }

    private static byte[] Wrap(ReadOnlySpan<byte> body)
    {
        byte[] message = new byte[Varint.MaxSize32 + 1 + body.Length];
        int size = Varint.WriteZigZag(message, body.Length + 1);
        message[size++] = (byte)BindingMessageType.Rpc;
        body.CopyTo(message.AsSpan(size));
        return message[..(size + body.Length)];
    }

    private async ValueTask EndTurnsAsync()
    {
        bool complete = _index >= _record.MessageCount;
        for (int i = 0; i < _outputs.Count;)
        {
            int end = i;
            while (end < _outputs.Count && _outputs[end].To == _outputs[i].To)
            {
                end++;
            }

            WriteRun(BindingMessageType.Outputs, _outputs[i].To, _outputs[i..end].ConvertAll(o => o.Message));
            i = end;
            if (loop.Random.Next(8) == 0)
            {
                await FlushAsync(); // A kill may fall between outputs and their mark.
            }
        }

        _outputs.Clear();
        Write(BindingMessageType.Progress, writer => writer.Advance(new Progress(_record.Lsn, _index, complete).Write(writer.GetSpan(Progress.MaxSize))));
        if (complete)
        {
            oracle.State(Instance, _record.Lsn, _index, 0, _hash);
        }

        await FlushAsync();
    }

    private void WriteRun(BindingMessageType type, string to, List<byte[]> messages)
    {
        if (!_destinations.TryGetValue(to, out int index))
        {
            index = _destinations[to] = _destinations.Count;
            Write(BindingMessageType.Destination, writer =>
            {
                var w = new ByteWriter(writer);
                w.WriteVarint((ulong)index);
                w.WriteString(to == Instance ? "" : to);
            });
        }

        Write(type, writer =>
        {
            var w = new ByteWriter(writer);
            w.WriteVarint((ulong)index);
            w.WriteVarint((ulong)messages.Count);
            messages.ForEach(m => w.WriteBytes(m));
        });
    }

    private void Write(BindingMessageType type, Action<IBufferWriter<byte>> write)
    {
        var data = new ArrayBufferWriter<byte>();
        write(data);
        var w = new ByteWriter(_connection.Output);
        w.WriteZigZag(data.WrittenCount + 1);
        w.WriteByte((byte)type);
        w.WriteBytes(data.WrittenSpan);
    }

    private async ValueTask FlushAsync() => await _connection.Output.FlushAsync();

    private async ValueTask SaveAsync()
    {
        var state = new ArrayBufferWriter<byte>();
        var w = new ByteWriter(state);
        w.WriteUInt64(_hash);
        w.WriteVarint((ulong)_generated.Count);
        foreach ((string to, ulong count) in _generated.OrderBy(g => g.Key))
        {
            w.WriteString(to);
            w.WriteVarint(count);
        }

        Write(BindingMessageType.Checkpoint, writer => new ByteWriter(writer).WriteZigZag(state.WrittenCount));
        foreach (byte b in state.WrittenSpan.ToArray().Chunk(7).SelectMany(c => c))
        {
            new ByteWriter(_connection.Output).WriteByte(b);
        }

        await FlushAsync();
    }

    private async ValueTask RestoreAsync(PipeReader input, long size)
    {
        while (true)
        {
            // Not ReadAtLeastAsync: it goes on wherever it was completed, on a thread of the pool for instance.
            ReadResult result = await input.ReadAsync();
            if (result.Buffer.Length >= size)
            {
                Load(result.Buffer.Slice(0, size).ToArray());
                input.AdvanceTo(result.Buffer.GetPosition(size));
                return;
            }

            if (result.IsCompleted)
            {
                throw new IOException("checkpoint cut short");
            }

            input.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }
    }

    private void Load(byte[] state)
    {
        var reader = new ByteReader(state);
        _hash = reader.ReadUInt64("hash");
        for (ulong n = reader.ReadVarint("count"); n > 0; n--)
        {
            _generated[reader.ReadString(63, "to")] = reader.ReadVarint("generated");
        }
    }
}
