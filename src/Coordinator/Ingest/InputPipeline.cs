using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore.Append;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Copies accepted messages into the log page that is being filled. Between reservation, copy and publication nothing is awaited,
/// so a sealed page never waits for this context.
/// </summary>
internal sealed class InputPipeline(
    LogAppender appender, PromptCommit commit, BackPressure backPressure, DeliveryPace pace, PendingMarks pending)
{
    /// <summary>Messages handed to the log so far.</summary>
    public long Messages { get; private set; }

    /// <summary>Sees what is appended; null: nobody does.</summary>
    public IMessageTracer? Tracer { get; init; }

    /// <summary>
    /// Appends a run of one input and moves its accepted watermark. Waits while the log is behind its disk or the app behind its log by
    /// more than the limits, and a moment for an app that is busy: the sender is slowed, nothing is dropped. False if the source was
    /// closed meanwhile: a newer connection may have been answered, so nothing was appended (exactly-once.md H9).
    /// <paramref name="retired"/> replayable messages before the run went to an erased predecessor of this instance. A
    /// <paramref name="mark"/> is logged in the same record; such a decision of the operator waits for no room: the app that is behind may
    /// be one that waits for the operator's next. <paramref name="own"/>: what an instance sends to itself.
    /// <paramref name="checksum"/>: CRC-32C of the messages if it is known. <paramref name="outside"/>: what the record says of the
    /// messages
    /// that are calls from outside; it admits nothing but what stands in the same bytes (outside-calls.md X1).
    /// </summary>
    public async ValueTask<bool> AppendAsync(
        InputState input, Func<bool> sourceIsOpen, ReadOnlySequence<byte> messages, int count, int replayable, ulong senderEpoch,
        ulong retired = 0,
        QuarantineStep? mark = null, bool own = false, uint? checksum = null, OutsideMarks? outside = null)
    {
        long arrived = Tracer?.Now ?? 0;
        while (sourceIsOpen())
        {
            if (mark is null && backPressure.Holds(own))
            {
                await backPressure.WaitForRoomAsync(own);
            }
            else if (pace.Holds)
            {
                await pace.WaitAsync();
            }
            else if (TryAppend(input, messages, count, replayable, senderEpoch, retired, mark, checksum, outside))
            {
                Tracer?.Admitted(input.Name, count, arrived);
                return true;
            }
            else
            {
                await appender.WaitForPageAsync();
            }
        }

        return false;
    }

    /// <summary>A source has ended, from which something may wait to be appended.</summary>
    public void SourceEnded() => backPressure.SourceEnded();

    /// <summary>Messages dropped by senders that this instance will never get, since its start.</summary>
    public long Missed { get; private set; }

    /// <summary>
    /// Moves the accepted watermark of an input past messages that will never come. It takes no room in a page: the next record says it,
    /// and one is asked for.
    /// </summary>
    public void AppendGap(InputState input, ulong count, ulong senderEpoch, ulong retired)
    {
        Watermark behind = input.Accepted.Advance(checked(retired + count), checked(retired + count), senderEpoch);
        pending.AddGap(input, new InputWatermark(input.Name, input.SenderId, behind));
        input.Accept(behind);
        Missed += (long)count;
        appender.RequestFlush();
    }

    private bool TryAppend(InputState input, in ReadOnlySequence<byte> messages, int count, int replayable, ulong senderEpoch,
        ulong retired,
        QuarantineStep? mark, uint? checksum, OutsideMarks? outside)
    {
        long length = messages.Length;
        int prefix = BatchWrapper.Size(count, replayable, length);
        int size = checked(prefix + (int)length);
        // Whatever can throw comes before the reservation: one that is never published would hold up its page, and with it the log, for
        // ever.
        Watermark accepted = input.Accepted.Advance(checked(retired + (ulong)count), checked(retired + (ulong)replayable), senderEpoch);
        if (!appender.TryReserve(size, out PageReservation reservation))
        {
            return false;
        }

        Span<byte> span = reservation.Span;
        BatchWrapper.Write(span, count, replayable, length);
        messages.CopyTo(span[prefix..]);
        if (checksum is { } known)
        {
            reservation.Know((int)length, known);
        }

        PageMarks marks = ((PageContext)reservation.PageContext).Marks;
        if (outside is not null)
        {
            marks.AddOutside(outside, marks.MessageCount);
        }

        marks.AddRun(input, count, size, accepted);
        if (mark is not null)
        {
            marks.Poison.Add(mark); // In the same record as the message: both are durable, or neither.
        }

        input.Accept(accepted);
        Messages += count;
        commit.Publish(reservation, size);
        Failpoint.Pass("K3");
        return true;
    }
}
