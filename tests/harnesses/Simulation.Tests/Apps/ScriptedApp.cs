using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Serialization;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// An app that speaks version 2 of the binding link by itself and, where it may choose, does what the real binding never does: it flushes
/// in the middle of turns and of checkpoints, and announces the ends of turns one by one. It understands the calls of
/// <see cref="IWalker"/>, and awaits nothing.
/// </summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001",
    Justification = "RunAsync disposes the connection that it opens; a killed process disposes nothing.")]
internal sealed class ScriptedApp(
    VirtualLoop loop, VirtualProcess process, AppLife life, ITransport transport, EndPointName address, Workload workload,
    PoisonPlan poison,
    ScriptedBuild build) : ISimApp
{
    private static readonly WalkerMethods s_methods = WalkerMethods.Find();
    private readonly Dictionary<string, ulong> _generated = [];
    private readonly Dictionary<string, int> _destinations = [];
    private readonly List<(string To, byte[] Message)> _outputs = [];
    private readonly Queue<(string To, ulong Id, int Depth)> _waitingImpulses = new();
    private readonly ScriptedMessages _messages = new(workload);
    private readonly HashSet<MessagePosition> _skips = [];
    private TappedConnection _connection = null!;
    private IConnection? _raw;
    private ulong _hash;
    private bool _primary;
    private RecordInfo _record;
    private int _index;

    public bool IsPrimary => _primary && !Ended;

    public bool IsIdle => IsPrimary && _waitingImpulses.Count == 0;

    public bool Ended { get; private set; }

    public string? Trouble { get; private set; }

    public string Refusal { get; private set; } = "";

    public AppLife Life => life;

    public void Vanish() => _raw!.Output.Complete();

    private string Instance => life.Instance;

    public async Task RunAsync()
    {
        try
        {
            byte[] incarnation = new byte[16];
            process.Fill(incarnation);
            _connection = new TappedConnection(_raw = await transport.ConnectAsync(address, CancellationToken.None), life);
            Write(BindingMessageType.Hello, new BindingHello(2, 2, (poison.IsOn ? BindingFeatures.Steps : 0) | build.Features,
                new Guid(incarnation), "sim", $"{poison.BuildOf(Instance)}", "", "", Instance, "").Write);
            await FlushAsync();
            await ReadAsync();
        }
        catch (Exception) when (!process.Alive)
        {
            // A message ended it.
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
            WriteRun(BindingMessageType.Impulses, impulse.To, [_messages.Call(s_methods.Poke, RpcKind.Impulse, impulse.Id, impulse.Depth)]);
            await FlushAsync();
        }
    }

    private static bool TryRead(ReadOnlySequence<byte> buffer, out BindingMessageType type, out byte[] data, out long size)
    {
        (type, data, size) = (default, [], 0);
        byte[] head = buffer.Slice(0, Math.Min(buffer.Length, 32)).ToArray();
        int batch = BatchHead.SizeOf(head);
        if (batch > 0)
        {
            bool more = TryRead(buffer.Slice(batch), out type, out data, out size);
            size += batch;
            return more;
        }

        if (batch < 0 || !Varint.TryReadZigZag(head, out long length, out int prefix) || buffer.Length < prefix + length)
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
            case BindingMessageType.Welcome:
                build.Welcomed(BindingWelcome.Read(data).Mode);
                break;
            case BindingMessageType.Refused:
                Refusal = BindingRefused.Read(data).Code;
                _connection.Abort();
                break;
            case BindingMessageType.TakeBecomingPrimaryCheckpoint:
                byte[] initial = _messages.Call(s_methods.Walk, RpcKind.Fork, Bits.Hash(Instance), depth: 4);
                Write(BindingMessageType.InitialMessage, writer => writer.Write(initial));
                await SaveAsync();
                break;
            case BindingMessageType.BecomingPrimary:
                _primary = true;
                build.Acts();
                Write(BindingMessageType.BecomingPrimary, static _ => { });
                await FlushAsync();
                break;
            case BindingMessageType.Skip:
                _skips.Add(MessagePosition.ReadSkip(data));
                break;
            case BindingMessageType.TakeCheckpoint when workload.CannotBeSaved(_hash) && !build.MustSave:
                life.Listener.Sometimes(Sighting.CheckpointDeclined);
                Write(BindingMessageType.CheckpointDeclined, new CheckpointDeclined("it holds a stream").Write);
                await FlushAsync();
                break;
            case BindingMessageType.TakeCheckpoint:
                await SaveAsync();
                break;
            case BindingMessageType.RecordInfo:
                _record = RecordInfo.Read(data);
                life.Reaches(_record.Lsn);
                _index = 0;
                if (_record.MessageCount == 0)
                {
                    await EndTurnsAsync();
                }

                break;
            case BindingMessageType.Rpc:
                await ExecuteAsync(data);
                break;
            default:
                break;
        }
    }

    private async ValueTask ExecuteAsync(byte[] data)
    {
        ulong id = Decode(data, out int depth);
        TellState();
        bool inSteps = (_record.Flags & RecordInfo.InSteps) != 0;
        if (inSteps)
        {
            await AnnounceAsync(data);
        }

        if (!_skips.Contains(new MessagePosition(_record.Lsn, _index)))
        {
            Walk(data, id, depth);
            await DieOfAsync(id);
        }
        else
        {
            Refuse(data);
        }

        _index++;
        if (_index == _record.MessageCount || inSteps || loop.Random.Next(4) == 0)
        {
            // Where a page is flushed is not part of the state: it may differ in every life.
            await EndTurnsAsync();
        }
    }

    private void Walk(byte[] data, ulong id, int depth)
    {
        _hash = Bits.Mix(_hash, id + build.CodeOf(_record));
        for (int i = 0; i < (depth > 0 ? workload.StepsOf(id) : 0); i++)
        {
            ulong child = Bits.Mix(id, 100 + (ulong)i);
            Emit(workload.DestinationOf(child), _messages.Call(s_methods.Walk, RpcKind.Fork, child, depth - 1));
        }

        Answer(data, id);
    }

    private void TellState()
    {
        if (build.TellsStates)
        {
            life.ComesTo(new MessagePosition(_record.Lsn, _index), _hash);
        }
    }

    private async ValueTask AnnounceAsync(byte[] data)
    {
        Write(BindingMessageType.TurnRunning, writer => writer.Advance(
            new TurnRunning(new MessagePosition(_record.Lsn, _index), RpcHeader.Read(data).MethodId)
            .Write(writer.GetSpan(TurnRunning.MaxSize))));
        await FlushAsync();
    }

    /// <summary>Some messages end this process, when a part of what they send may be on its way.</summary>
    private async ValueTask DieOfAsync(ulong id)
    {
        if (poison.IsOn && poison.KillsAtBegin(life, id))
        {
            if (loop.Random.Next(2) == 0)
            {
                await WriteOutputsAsync();
                await FlushAsync();
            }

            life.Deafen();
            process.Die(6, "poison");
            throw new IOException("dead");
        }
    }

    private ulong Decode(byte[] data, out int depth)
    {
        var arguments = new MessagePackReader(RpcHeader.Read(data).Body);
        arguments.ReadArrayHeader();
        ulong id = arguments.ReadUInt64();
        depth = arguments.ReadInt32();
        life.Listener.Require(workload.IsLoadOf(id, arguments.ReadBinary()), $"{Instance}: message {id} arrived with another load");
        return id;
    }

    private void Answer(byte[] data, ulong id)
    {
        RpcHeader header = RpcHeader.Read(data);
        if (header.Kind == RpcKind.Async)
        {
            Emit(header.CallerName, ScriptedMessages.Answer(header, id));
        }
    }

    /// <summary>Answers a call that was taken out.</summary>
    private void Refuse(byte[] data)
    {
        RpcHeader header = RpcHeader.Read(data);
        if (header.Kind == RpcKind.Async)
        {
            Emit(header.CallerName,
                ScriptedMessages.Refusal(header, new MessageSkippedException($"The message {_record.Lsn}:{_index} was quarantined.")));
        }
    }

    private void Emit(string to, byte[] message)
    {
        _generated[to] = _generated.GetValueOrDefault(to) + 1;
        _outputs.Add((to, message));
    }

    private async ValueTask EndTurnsAsync()
    {
        bool complete = _index >= _record.MessageCount;
        await WriteOutputsAsync();
        Write(BindingMessageType.Progress, writer =>
            writer.Advance(new Progress(_record.Lsn, _index, complete).Write(writer.GetSpan(Progress.MaxSize))));
        if (complete)
        {
            TellState();
        }

        await FlushAsync();
    }

    private async ValueTask WriteOutputsAsync()
    {
        for (int i = 0; i < _outputs.Count;)
        {
            int end = i;
            for (int bytes = 0; end < _outputs.Count && _outputs[end].To == _outputs[i].To
                && (end == i || bytes + _outputs[end].Message.Length <= workload.LargestRun); end++)
            {
                bytes += _outputs[end].Message.Length;
            }

            WriteRun(BindingMessageType.Outputs, _outputs[i].To, _outputs[i..end].ConvertAll(o => o.Message));
            i = end;
            if (loop.Random.Next(8) == 0)
            {
                await FlushAsync(); // A kill may fall between outputs and their mark.
            }
        }

        _outputs.Clear();
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
        if (build.Features > 0)
        {
            w.WriteVarint(build.Saves());
        }

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
                ulong saved = Load(result.Buffer.Slice(0, size).ToArray());
                input.AdvanceTo(result.Buffer.GetPosition(size));
                if (build.Features > 0)
                {
                    Write(BindingMessageType.BuildCompared, build.Compare(saved));
                    await FlushAsync();
                }

                return;
            }

            if (result.IsCompleted)
            {
                throw new IOException("checkpoint cut short");
            }

            input.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }
    }

    private ulong Load(byte[] state)
    {
        var reader = new ByteReader(state);
        _hash = reader.ReadUInt64("hash");
        ulong saved = build.Features > 0 ? reader.ReadVarint("build") : 0;
        for (ulong n = reader.ReadVarint("count"); n > 0; n--)
        {
            _generated[reader.ReadString(63, "to")] = reader.ReadVarint("generated");
        }

        return saved;
    }
}
