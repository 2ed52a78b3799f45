using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Text;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// An app that speaks version 2 of the binding link and runs a workload drawn from the hashes of its messages: outputs to anybody,
/// itself included. Deterministic; reports everything to the oracle.
/// </summary>
internal sealed class SimApp(SimLoop loop, string instance, string[] names, ITransport transport, EndPointName address, SimOracle oracle, int maxPayload)
{
    private const int ArgumentSize = 24;
    private readonly Dictionary<string, ulong> _generated = [];
    private readonly Dictionary<string, int> _destinations = [];
    private readonly List<(string To, byte[] Message)> _outputs = [];
    private IConnection _connection = null!;
    private ulong _hash;
    private bool _primary;
    private readonly Queue<ulong> _waitingImpulses = new();
    private RecordInfo _record;
    private int _index;

    public bool IsPrimary => _primary && !Ended;

    public bool Ended { get; private set; }

    public ulong DoneLsn { get; private set; }

    /// <summary>Impulses handed to the coordinator by this incarnation.</summary>
    public List<ulong> SentImpulses { get; } = [];

    public async Task RunAsync()
    {
        try
        {
            _connection = await transport.ConnectAsync(address, CancellationToken.None);
            Write(BindingMessageType.Hello, new BindingHello(2, 2, 0, Guid.NewGuid(), "sim", "1", "", "", instance, "").Write);
            await FlushAsync();
            await ReadAsync();
        }
        catch (IOException)
        {
            // The coordinator has gone, or is not there yet.
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

    /// <summary>An impulse from the outside world to a random instance, sent by the app's one thread when it is between turns.</summary>
    public void SendImpulse(ulong identity)
    {
        if (IsPrimary)
        {
            _waitingImpulses.Enqueue(identity);
            _connection.Input.CancelPendingRead();
        }
    }

    private static ulong Mix(ulong a, ulong b)
    {
        ulong x = a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + 0x165667B19E3779F9;
        x ^= x >> 29;
        x *= 0xBF58476D1CE4E5B9;
        return x ^ (x >> 32);
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
        while (_waitingImpulses.TryDequeue(out ulong identity))
        {
            string to = names[loop.Random.Next(names.Length)];
            byte[] message = Message(RpcKind.Impulse, identity, ttl: (uint)loop.Random.Next(1, 4));
            SentImpulses.Add(identity);
            WriteRun(BindingMessageType.Impulses, to, [message]);
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
                byte[] initial = Message(RpcKind.Fork, Mix(1, (ulong)instance[0]), ttl: 4);
                Write(BindingMessageType.InitialMessage, writer => writer.Write(initial));
                oracle.Sent(instance, instance, 1, Mix(1, (ulong)instance[0]));
                _generated[instance] = 1;
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
        (string from, ulong identity, uint ttl, bool impulse) = Decode(data);
        oracle.Executed(instance, _record.Lsn, _index, new SimOracle.Execution(impulse ? "" : from, identity, impulse, _record.Epoch, _record.Timestamp));
        _hash = Mix(_hash, identity);
        if (ttl > 0)
        {
            int outputs = (int)(Mix(identity, 1) % 4);
            for (int i = 0; i < outputs; i++)
            {
                Emit(names[Mix(identity, 10 + (ulong)i) % (ulong)names.Length], Mix(identity, 100 + (ulong)i), ttl - 1);
            }

            if (from != instance && Mix(identity, 3) % 2 == 0)
            {
                Emit(from, Mix(identity, 200), ttl - 1);
            }
        }

        _index++;
        if (_index == _record.MessageCount)
        {
            await EndTurnsAsync();
        }
        else if (loop.Random.Next(4) == 0)
        {
            // Where a page is flushed is not part of the state: it may differ in every life.
            await EndTurnsAsync();
        }
    }

    private static (string From, ulong Identity, uint Ttl, bool Impulse) Decode(byte[] data)
    {
        RpcHeader header = RpcHeader.Read(data);
        ReadOnlySpan<byte> arguments = header.Body;
        return (
            Encoding.UTF8.GetString(arguments[ArgumentSize..(ArgumentSize + 1)]),
            BinaryPrimitives.ReadUInt64LittleEndian(arguments),
            BinaryPrimitives.ReadUInt32LittleEndian(arguments[8..]),
            header.Kind == RpcKind.Impulse);
    }

    private void Emit(string to, ulong identity, uint ttl)
    {
        ulong number = _generated[to] = _generated.GetValueOrDefault(to) + 1;
        oracle.Sent(instance, to, number, identity);
        _outputs.Add((to, Message(RpcKind.Fork, identity, ttl)));
    }

    private byte[] Message(RpcKind kind, ulong identity, uint ttl)
    {
        int payload = (int)(Mix(identity, 7) % 8 == 0 ? Mix(identity, 8) % (ulong)maxPayload : 0);
        byte[] message = new byte[Varint.MaxSize32 + 4 + ArgumentSize + 1 + payload];
        int dataSize = 3 + ArgumentSize + 1 + payload;
        int size = Varint.WriteZigZag(message, dataSize + 1);
        message[size++] = (byte)BindingMessageType.Rpc;
        message[size++] = (byte)RpcForm.Call;
        message[size++] = 2; // method id 1, zig-zag
        message[size++] = (byte)kind;
        BinaryPrimitives.WriteUInt64LittleEndian(message.AsSpan(size), identity);
        BinaryPrimitives.WriteUInt32LittleEndian(message.AsSpan(size + 8), ttl);
        message[size + ArgumentSize] = (byte)instance[0];
        return message[..(size + ArgumentSize + 1 + payload)];
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
            DoneLsn = _record.Lsn;
            oracle.State(instance, _record.Lsn, _hash);
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
                w.WriteString(to == instance ? "" : to);
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
        ReadResult result = await input.ReadAtLeastAsync((int)size);
        if (result.Buffer.Length < size)
        {
            throw new IOException("checkpoint cut short");
        }

        Load(result.Buffer.Slice(0, size).ToArray());
        input.AdvanceTo(result.Buffer.GetPosition(size));
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
