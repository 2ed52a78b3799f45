using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// A record on stable storage, still in the memory it was gathered in, so that it can be delivered without a copy. Held by references:
/// code that gets it disposes it once, and calls <see cref="AddReference"/> before giving it to a second holder.
/// </summary>
public sealed class DurableRecord : IDisposable
{
    private readonly PageBuffer _buffer;

    internal DurableRecord(in RecordHeader header, PageBuffer buffer, int payloadSize, object pageContext)
    {
        (Header, _buffer, PayloadSize, PageContext) = (header, buffer, payloadSize, pageContext);
    }

    /// <summary>The record's header as written.</summary>
    public RecordHeader Header { get; }

    /// <summary>Bytes at the beginning of the body that writers put there; the sink's trailer follows.</summary>
    public int PayloadSize { get; }

    /// <summary>The page's context; valid only until <see cref="IRecordSink.OnDurable"/> returns.</summary>
    public object PageContext { get; }

    /// <summary>Payload and trailer. Valid until the last reference is disposed.</summary>
    public ReadOnlyMemory<byte> Body => _buffer.Bytes.AsMemory(RecordHeader.Size, (int)Header.BodySize);

    /// <summary>What the writers put there.</summary>
    public ReadOnlyMemory<byte> Payload => _buffer.Bytes.AsMemory(RecordHeader.Size, PayloadSize);

    /// <summary>Another holder, which must dispose too.</summary>
    public void AddReference() => _buffer.AddReference();

    /// <summary>This holder is done.</summary>
    public void Dispose() => _buffer.Release();
}
