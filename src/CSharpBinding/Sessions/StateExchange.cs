using System.Buffers;
using System.Text;
using Ambrosia.Link;
using Ambrosia.Primitives.Loops;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.Sessions;

/// <summary>Gives the coordinator the immortal's state: as a checkpoint, and as JSON for people.</summary>
internal sealed class StateExchange(ImmortalRuntime runtime, CheckpointCodec codec, LinkWriter writer, SessionSettings settings)
{
    /// <summary>Sends a checkpoint. What was sent before it must stand before it in the stream.</summary>
    /// <param name="mayDecline">True where the coordinator can go on without: then a state that cannot be saved now ends nothing.</param>
    /// <exception cref="CannotSaveException">The state cannot be saved, and must be.</exception>
    public void SendCheckpoint(bool mayDecline)
    {
        var checkpoint = new ChunkedBuffer();
        try
        {
            Write(checkpoint);
        }
        catch (CannotSaveException error) when (mayDecline)
        {
            // The coordinator goes on with the log it has, and asks again: a running immortal is worth more than a short log.
            checkpoint.Dispose();
            BindingLog.CannotSave(settings.Logger, runtime.Welcome.Instance, error.Message);
            var data = new ArrayBufferWriter<byte>();
            new CheckpointDeclined(error.Message).Write(data);
            writer.SubmitControl(BindingMessageType.CheckpointDeclined, data.WrittenSpan);
            return;
        }

        BindingLog.StateSaved(settings.Logger, runtime.Welcome.Instance, checkpoint.Length, runtime.Clock.Lsn);
        writer.SubmitCheckpoint(checkpoint);
    }

    /// <summary>Sends what an immortal's first checkpoint is followed by.</summary>
    public void SendInitialMessage()
    {
        // OnFirstStart is a logged self-call, so that a crash right after the first checkpoint does not lose it (exactly-once.md H15).
        Span<byte> message = stackalloc byte[16];
        int size = RpcHeader.WriteCall(message[2..], ReservedMethods.OnFirstStart, RpcKind.Fork);
        message[0] = (byte)Varint.ZigZag(size + 1);
        message[1] = (byte)BindingMessageType.Rpc;
        writer.SubmitControl(BindingMessageType.InitialMessage, message[..(size + 2)]);
    }

    /// <summary>Answers a request for the state, or for its hash only.</summary>
    public void Answer(ReadOnlySpan<byte> data)
    {
        var request = new ByteReader(data);
        ulong id = request.ReadVarint("state request id");
        bool hashOnly = request.Remaining > 0 && request.ReadByte("state request kind") == 1;
        byte[] json = Encoding.UTF8.GetBytes(codec.ToJson(hashOnly));
        if (json.Length > runtime.MaxMessageBytes)
        {
            string excuse = $"{json.Length} bytes as JSON, more than the coordinator accepts ({runtime.MaxMessageBytes}): raise "
                + $"--max-message-size";
            json = Encoding.UTF8.GetBytes(codec.ToJson(hashOnly: true, excuse));
        }

        byte[] reply = new byte[Varint.MaxSize64 + json.Length];
        int size = Varint.Write(reply, id);
        json.CopyTo(reply, size);
        writer.SubmitControl(BindingMessageType.StateReply, reply.AsSpan(0, size + json.Length));
    }

    // Nobody waits for the app of a replica: what it writes must not take the processor from the primary, if that runs on the same machine.
    // Only an app with a thread of its own gets another one for that: a test host runs everything on one, in virtual time.
    private void Write(ChunkedBuffer checkpoint)
    {
        if (!runtime.IsPrimary && SynchronizationContext.Current is LoopSynchronizationContext)
        {
            BackgroundThread.Run($"checkpoint {runtime.Welcome.Instance}", () => codec.Write(checkpoint));
        }
        else
        {
            codec.Write(checkpoint);
        }
    }
}
