using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// One writer's slice of a page: fill <see cref="Span"/>, then <see cref="Publish"/> exactly once. No await in between: the page cannot be
/// written before every writer has published.
/// </summary>
public readonly struct PageReservation
{
    private readonly LogPage _page;
    private readonly int _offset;
    private readonly int _size;

    internal PageReservation(LogPage page, int offset, int size) => (_page, _offset, _size) = (page, offset, size);

    /// <summary>The bytes to fill.</summary>
    public Span<byte> Span => _page.Buffer!.Bytes.AsSpan(RecordHeader.Size + _offset, _size);

    /// <summary>Place of the slice within the record's payload.</summary>
    public int Offset => _offset;

    /// <summary>Object that the sink made for this page; shared by all its writers.</summary>
    public object PageContext => _page.Context;

    /// <summary>
    /// Tells the CRC-32C of the last bytes of the slice, before <see cref="Publish"/>: they are not read again for that of the record.
    /// </summary>
    public void Know(int length, uint checksum)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)length, (uint)_size, nameof(length));
        _page.Buffer!.Known.Add(RecordHeader.Size + _offset + _size - length, length, checksum);
    }

    /// <summary>Tells that the bytes, and whatever the writer noted in the page's context, are complete.</summary>
    public void Publish() => _page.Publish();

    /// <summary>
    /// The same without waking the log's loop. The writer calls <see cref="LogAppender.Commit"/> when it has published all that it has.
    /// </summary>
    public void PublishQuietly() => _page.Publish(wakes: false);
}
