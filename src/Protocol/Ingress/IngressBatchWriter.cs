using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>
/// Writes the calls or the replies of one message of a stream. Used by one thread at a time, and again after <see cref="Clear"/>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class IngressBatchWriter
{
    private const int MostKept = 1 << 20; // Bytes. The buffers of one large answer are not kept for the next.
    private ArrayBufferWriter<byte> _batch = new(4096);
    private ArrayBufferWriter<byte> _entry = new(512);
    private ArrayBufferWriter<byte> _content = new(512);

    /// <summary>The message.</summary>
    public ReadOnlyMemory<byte> Written => _batch.WrittenMemory;

    /// <summary>Adds a call.</summary>
    /// <param name="id">What its reply repeats.</param>
    /// <param name="call">The call; null if its caller waits no more for the one with this id.</param>
    /// <param name="sends">Whether it waits only until the call is in the log.</param>
    /// <param name="wait">How long it waits, in milliseconds; 0 if it does not say.</param>
    /// <param name="instanceId">The id of the instance that it is for; empty for any of the name.</param>
    public void Add(ulong id, IngressCallRequest? call, bool sends, uint wait, string instanceId = "")
    {
        var entry = new ProtoWriter(_entry);
        entry.Number(1, id);
        if (call is not null)
        {
            call.Write(_content);
            entry.Bytes(2, _content.WrittenSpan, always: true);
        }

        entry.Number(3, sends ? 1UL : 0);
        entry.Number(4, wait);
        entry.Text(5, instanceId);
        End();
    }

    /// <summary>Adds a call of somebody else, as it was written.</summary>
    /// <param name="id">What its reply repeats.</param>
    /// <param name="written">The call.</param>
    /// <param name="sends">Whether it waits only until the call is in the log.</param>
    /// <param name="wait">How long it waits, in milliseconds; 0 if it does not say.</param>
    public void AddWritten(ulong id, ReadOnlySpan<byte> written, bool sends, uint wait)
    {
        var entry = new ProtoWriter(_entry);
        entry.Number(1, id);
        entry.Bytes(2, written, always: true);
        entry.Number(3, sends ? 1UL : 0);
        entry.Number(4, wait);
        End();
    }

    /// <summary>Adds a reply of somebody else, as it was written.</summary>
    public void AddWritten(ulong id, ReadOnlySpan<byte> written)
    {
        var entry = new ProtoWriter(_entry);
        entry.Number(1, id);
        entry.Bytes(2, written, always: true);
        End();
    }

    /// <summary>Adds a reply.</summary>
    public void Add(ulong id, IngressReply reply)
    {
        var entry = new ProtoWriter(_entry);
        entry.Number(1, id);
        reply.Write(_content);
        entry.Bytes(2, _content.WrittenSpan, always: true);
        End();
    }

    /// <summary>Adds a refusal.</summary>
    public void Add(ulong id, IngressRefusal refusal)
    {
        var entry = new ProtoWriter(_entry);
        entry.Number(1, id);
        refusal.Write(new ProtoWriter(_content));
        entry.Bytes(3, _content.WrittenSpan, always: true);
        End();
    }

    /// <summary>Adds which instance has a name.</summary>
    public void Add(IngressServing serving)
    {
        var entry = new ProtoWriter(_entry);
        entry.Text(1, serving.Instance);
        entry.Text(2, serving.InstanceId);
        new ProtoWriter(_batch).Bytes(2, _entry.WrittenSpan, always: true);
        _entry.ResetWrittenCount();
    }

    /// <summary>Begins the next message.</summary>
    public void Clear()
    {
        Forget(ref _batch);
        Forget(ref _entry);
        Forget(ref _content);
    }

    private void End()
    {
        new ProtoWriter(_batch).Bytes(1, _entry.WrittenSpan, always: true);
        _entry.ResetWrittenCount();
        _content.ResetWrittenCount();
    }

    private static void Forget(ref ArrayBufferWriter<byte> buffer)
    {
        if (buffer.Capacity > MostKept)
        {
            buffer = new ArrayBufferWriter<byte>(512);
        }
        else
        {
            buffer.ResetWrittenCount();
        }
    }
}
