using Ambrosia.LogStore.Append;

namespace Ambrosia.SystemFaults.Tests.Writing;

/// <summary>Passes everything on, and sees whether anything is confirmed by a process that should be dead.</summary>
internal sealed class WatchedSink(IRecordSink inner, WatchedFatal fatal) : IRecordSink
{
    public bool ConfirmedAfterDeath { get; private set; }

    public object CreatePageContext() => inner.CreatePageContext();

    public int MaxTrailerSize(object pageContext) => inner.MaxTrailerSize(pageContext);

    public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft) =>
        inner.WriteTrailer(pageContext, payload, destination, ref draft);

    public void OnDurable(DurableRecord record)
    {
        ConfirmedAfterDeath |= fatal.Death is not null;
        inner.OnDurable(record);
    }
}
