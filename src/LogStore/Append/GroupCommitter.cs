using System.Diagnostics;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Loops;
using Ambrosia.Shared.Loops;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// The one loop that turns pages into records. There is no timer: while one record is on its way to the device, everything that arrives gathers
/// in the next page; when the loop is idle, the first publication wakes it.
/// </summary>
internal sealed class GroupCommitter(LogAppender appender, SegmentWriter writer, IRecordSink sink, TimeProvider time, IPageProbe? probe = null)
{
    private readonly AsyncSignal _work = new();
    private int _idle;

    /// <summary>Called after every change that may be work; costs one read unless the loop sleeps.</summary>
    public void WakeIfIdle()
    {
        probe?.BeforeStep();
        if (Volatile.Read(ref _idle) != 0 && Interlocked.Exchange(ref _idle, 0) != 0)
        {
            probe?.BeforeStep();
            _work.Set();
        }
    }

    /// <summary>Runs until the appender has stopped and everything published before is durable.</summary>
    public async Task RunAsync()
    {
        while (true)
        {
            appender.ThrowIfFailed();
            if (appender.TakeReadyPage() is { } page)
            {
                await CommitAsync(page);
            }
            else if (appender.IsDrained)
            {
                return;
            }
            else
            {
                await RestAsync();
            }
        }
    }

    private async ValueTask RestAsync()
    {
        // Idle is announced before the last look: a writer that publishes after the look finds the announcement.
        probe?.BeforeStep();
        Interlocked.Exchange(ref _idle, 1);
        probe?.BeforeStep();
        if (appender.HasWork || appender.IsDrained || appender.HasFailed || (!appender.IsStopping && await writer.PrepareStepAsync()))
        {
            probe?.BeforeStep();
            if (Interlocked.Exchange(ref _idle, 0) == 0)
            {
                await _work.WaitAsync(); // Somebody has woken us meanwhile: take that signal, so that it does not count twice.
            }

            return;
        }

        probe?.BeforeStep();
        await _work.WaitAsync();
    }

    private async ValueTask CommitAsync(LogPage page)
    {
        long started = time.GetTimestamp();
        int payloadSize = page.Length;
        PageBuffer buffer = page.Buffer!;
        int trailerRoom = sink.MaxTrailerSize(page.Context);
        buffer.EnsureSize(checked((int)RecordHeader.StoredSizeOf((long)payloadSize + trailerRoom) + SegmentWriter.EndMarkSize), RecordHeader.Size + payloadSize);

        RecordDraft draft = writer.Draft();
        int trailerSize = WriteTrailer(page.Context, buffer.Bytes.AsSpan(RecordHeader.Size), payloadSize, trailerRoom, ref draft);
        RecordHeader header = await writer.AppendAsync(buffer, payloadSize + trailerSize, draft);
        Measure(started, header);

        MarkDurable(page, header, payloadSize);
    }

    private int WriteTrailer(object context, Span<byte> body, int payloadSize, int room, ref RecordDraft draft)
    {
        int size = sink.WriteTrailer(context, body[..payloadSize], body.Slice(payloadSize, room), ref draft);
        return size >= 0 && size <= room ? size : throw new UnreachableException($"The sink wrote a trailer of {size} bytes after announcing {room}.");
    }

    /// <summary>The only place that declares anything durable; it stands behind the sync.</summary>
    private void MarkDurable(LogPage page, in RecordHeader header, int payloadSize)
    {
        appender.DurableLsn = header.Lsn;
        sink.OnDurable(new DurableRecord(header, page.Buffer!, payloadSize, page.Context));
        appender.Recycle(page);
    }

    private void Measure(long started, in RecordHeader header)
    {
        LogStoreMetrics.FlushDuration.Record(time.GetElapsedTime(started).TotalSeconds);
        LogStoreMetrics.Records.Add(1);
        LogStoreMetrics.Bytes.Add(header.StoredSize);
    }
}
