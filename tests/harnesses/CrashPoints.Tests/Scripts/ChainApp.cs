using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>An app in version 2 of the binding link that sends itself one message after the other: a lost or repeated one breaks the
/// chain.</summary>
internal sealed class ChainApp(ITransport transport, EndPointName address, CorePromises promises, ulong last, int payload)
{
    private const int StateSize = 3000;
    private IConnection _connection = null!;
    private RecordInfo _record;
    private int _index;
    private byte[]? _output;

    /// <summary>Last message executed.</summary>
    public ulong Executed { get; private set; }

    public bool IsPrimary { get; private set; }

    public async Task RunAsync()
    {
        try
        {
            _connection = await transport.ConnectAsync(address, CancellationToken.None);
            await SayAsync(BindingMessageType.Hello,
                new BindingHello(2, 2, 0, new Guid("11111111-2222-3333-4444-555555555555"), "chain", "1", "", "", "bank", "").Write);
            await SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
            await ReadAsync(_connection.Input);
        }
        catch (IOException)
        {
            // The coordinator has gone.
        }
    }

    private async Task ReadAsync(PipeReader input)
    {
        while (true)
        {
            ReadResult result = await input.ReadAsync();
            byte[] bytes = result.Buffer.ToArray();
            int at = 0;
            while (Varint.TryReadZigZag(bytes.AsSpan(at), out long size, out int prefix) && at + prefix + size <= bytes.Length)
            {
                var type = (BindingMessageType)bytes[at + prefix];
                byte[] data = bytes[(at + prefix + 1)..(at + prefix + (int)size)];
                if (type == BindingMessageType.Checkpoint)
                {
                    if (bytes.Length < at + prefix + size + StateSize)
                    {
                        break;
                    }

                    Executed = BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(at + prefix + (int)size));
                    at += StateSize;
                }

                at += prefix + (int)size;
                await TakeAsync(type, data);
            }

            input.AdvanceTo(result.Buffer.GetPosition(at), result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    private async Task TakeAsync(BindingMessageType type, byte[] data)
    {
        switch (type)
        {
            case BindingMessageType.TakeBecomingPrimaryCheckpoint:
                await SayAsync(BindingMessageType.InitialMessage, output => output.Write(Message(1)));
                await SaveAsync();
                break;
            case BindingMessageType.TakeCheckpoint:
                await SaveAsync();
                break;
            case BindingMessageType.BecomingPrimary:
                IsPrimary = true;
                await SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
                break;
            case BindingMessageType.RecordInfo:
                (_record, _index) = (RecordInfo.Read(data), 0);
                break;
            case BindingMessageType.Rpc:
                await ExecuteAsync(BinaryPrimitives.ReadUInt64LittleEndian(RpcHeader.Read(data).Body));
                break;
            case BindingMessageType.Refused:
                promises.Require(false, $"the app was refused: {BindingRefused.Read(data).Reason}");
                break;
            default:
                // A chain has one message at a time, so there are no batches; the rest is of no interest.
                break;
        }
    }

    private async Task ExecuteAsync(ulong message)
    {
        promises.Executed(_record.Lsn, _index++, message, Executed);
        Executed = message;
        _output = message < last ? Message(message + 1) : null;
        if (_output is not null)
        {
            await SayAsync(BindingMessageType.Outputs, output => output.Write((ReadOnlySpan<byte>)[0, 1, .. _output]));
        }

        await SayAsync(BindingMessageType.Progress, output =>
            output.Advance(new Progress(_record.Lsn, _index, _index == _record.MessageCount).Write(output.GetSpan(Progress.MaxSize))));
    }

    private byte[] Message(ulong number)
    {
        int size = 1 + 3 + sizeof(ulong) + (int)(number * 7919 % (ulong)payload);
        byte[] message = new byte[Varint.MaxSize32 + size];
        int at = Varint.WriteZigZag(message, size);
        message[at] = (byte)BindingMessageType.Rpc;
        message[at + 1] = (byte)RpcForm.Call;
        message[at + 2] = 2; // method 1, zig-zag
        message[at + 3] = (byte)RpcKind.Fork;
        BinaryPrimitives.WriteUInt64LittleEndian(message.AsSpan(at + 4), number);
        return message[..(at + size)];
    }

    private async Task SaveAsync()
    {
        byte[] state = new byte[StateSize];
        BinaryPrimitives.WriteUInt64LittleEndian(state, Executed);
        await SayAsync(BindingMessageType.Checkpoint, output => new ByteWriter(output).WriteZigZag(state.Length));
        _connection.Output.Write(state);
        await _connection.Output.FlushAsync();
    }

    private async Task SayAsync(BindingMessageType type, Action<IBufferWriter<byte>> write)
    {
        var data = new ArrayBufferWriter<byte>();
        write(data);
        var writer = new ByteWriter(_connection.Output);
        writer.WriteZigZag(data.WrittenCount + 1);
        writer.WriteByte((byte)type);
        writer.WriteBytes(data.WrittenSpan);
        await _connection.Output.FlushAsync();
    }
}
