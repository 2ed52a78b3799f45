using System.Diagnostics;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// Turns pages into records, in a loop. There is no timer: while one record is on its way to the device, everything that arrives gathers
/// in the next page; when the loop is idle, the first publication wakes it. While it rests, a writer may take its place for one small
/// record.
/// </summary>
internal sealed class GroupCommitter(
    LogAppender appender, SegmentWriter writer, IRecordSink sink, string instance, TimeProvider time, IPageProbe? probe = null)
{
    private const int Busy = 0; // The loop works or was woken, or a writer has taken its place.
    private const int Looking = 1; // The loop is about to rest: it can be woken, but not replaced.
    private const int Resting = 2;

    // A device that takes longer is not for the thread of a writer, which has something else to do. The loop finds out when it has become
    // quick again.
    private static readonly TimeSpan s_quick = TimeSpan.FromMilliseconds(1);

    private readonly KeyValuePair<string, object?> _instance = new(LogStoreMetrics.InstanceTag, instance);
    private readonly AsyncSignal _work = new();
    private int _state = Busy;
    private volatile bool _isQuick = true;

    /// <summary>Called after every change that may be work; costs one read unless the loop sleeps.</summary>
    public void WakeIfIdle()
    {
        probe?.BeforeStep();
        if (Volatile.Read(ref _state) != Busy && Interlocked.Exchange(ref _state, Busy) != Busy)
        {
            probe?.BeforeStep();
            _work.Set();
        }
    }

    /// <summary>
    /// Takes the place of the resting loop, if that pays: the store is near and was quick the last time. True obliges to
    /// <see cref="CommitSmallAsync"/> and then to <see cref="GiveBack"/>.
    /// </summary>
    public bool TryTake()
    {
        probe?.BeforeStep();
        return _isQuick && writer.IsNear && Interlocked.CompareExchange(ref _state, Busy, Resting) == Resting;
    }

    /// <summary>Makes the next record if it is a small one. For the thread that has taken the loop's place.</summary>
    public ValueTask CommitSmallAsync()
    {
        appender.ThrowIfFailed();
        // What begins a segment is left to the loop: that takes several syncs.
        return appender.NextPayload <= LogAppender.SmallPayload && writer.HasRoomFor(2 * LogAppender.SmallPayload)
            && appender.TakeReadyPage() is { } page ? CommitAsync(page) : default;
    }

    /// <summary>The loop rests again, or is woken for what it finds to do.</summary>
    public void GiveBack()
    {
        bool wantsZeros = writer.WantsZeros;
        // As when the loop rests: the look comes after the announcement, which a writer that publishes later finds.
        probe?.BeforeStep();
        Interlocked.Exchange(ref _state, Resting);
        probe?.BeforeStep();
        if (wantsZeros || appender.HasWork || appender.HasFailed || appender.IsStopping)
        {
            WakeIfIdle();
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
        Interlocked.Exchange(ref _state, Looking);
        probe?.BeforeStep();
        if (appender.HasWork || appender.IsDrained || appender.HasFailed || (!appender.IsStopping && await writer.PrepareStepAsync()))
        {
            probe?.BeforeStep();
            if (Interlocked.Exchange(ref _state, Busy) == Busy)
            {
                await _work.WaitAsync(); // Somebody has woken us meanwhile: take that signal, so that it does not count twice.
            }

            return;
        }

        // From here on a writer may take the loop's place; not before, or both would use the file at a time.
        probe?.BeforeStep();
        Interlocked.CompareExchange(ref _state, Resting, Looking);
        probe?.BeforeStep();
        await _work.WaitAsync();
    }

    private async ValueTask CommitAsync(LogPage page)
    {
        long started = time.GetTimestamp();
        int payloadSize = page.Length;
        PageBuffer buffer = page.Buffer!;
        int trailerRoom = sink.MaxTrailerSize(page.Context);
        buffer.EnsureSize(checked((int)RecordHeader.StoredSizeOf((long)payloadSize + trailerRoom) + SegmentWriter.EndMarkSize),
            RecordHeader.Size + payloadSize);

        RecordDraft draft = writer.Draft();
        int trailerSize = WriteTrailer(page.Context, buffer.Bytes.AsSpan(RecordHeader.Size), payloadSize, trailerRoom, ref draft);
        RecordHeader header = await writer.AppendAsync(buffer, payloadSize + trailerSize, draft);
        Measure(started, header, payloadSize);

        MarkDurable(page, header, payloadSize);
    }

    private int WriteTrailer(object context, Span<byte> body, int payloadSize, int room, ref RecordDraft draft)
    {
        int size = sink.WriteTrailer(context, body[..payloadSize], body.Slice(payloadSize, room), ref draft);
        return size >= 0 && size <= room ? size
            : throw new UnreachableException($"The sink wrote a trailer of {size} bytes after announcing {room}.");
    }

    /// <summary>The only place that declares anything durable; it stands behind the sync.</summary>
    private void MarkDurable(LogPage page, in RecordHeader header, int payloadSize)
    {
        appender.DurableLsn = header.Lsn;
        sink.OnDurable(new DurableRecord(header, page.Buffer!, payloadSize, page.Context));
        appender.Recycle(page);
    }

    private void Measure(long started, in RecordHeader header, int payloadSize)
    {
        TimeSpan took = time.GetElapsedTime(started);
        if (payloadSize <= LogAppender.SmallPayload)
        {
            _isQuick = took < s_quick;
        }

        LogStoreMetrics.FlushDuration.Record(took.TotalSeconds, _instance);
        LogStoreMetrics.Records.Add(1, _instance);
        LogStoreMetrics.Bytes.Add(header.StoredSize, _instance);
    }
}
