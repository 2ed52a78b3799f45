using System.Buffers;
using System.Diagnostics;
using System.Text;
using Ambrosia.Coordinator.Context;
using Ambrosia.LogStore;
using Ambrosia.Primitives.Telemetry;
using Ambrosia.Protocol;

namespace Ambrosia.CoordinatorHost.Telemetry;

/// <summary>
/// Spans of messages on their way through the coordinator, in the traces that callers and callees make: all of them derive the same ids
/// from what the log says. Messages outside of the share cost a hash each, and nothing is made for them. For the core's context alone.
/// </summary>
/// <param name="instance">Name of the instance.</param>
/// <param name="ratio">The share of messages that is traced.</param>
/// <param name="time">Wall clock.</param>
public sealed class MessageTracer(string instance, double ratio, TimeProvider time) : IMessageTracer
{
    /// <summary>Name of the source of spans, by which it is listened to.</summary>
    public const string SourceName = "Ambrosia.Coordinator";

    private const int MostLookedAt = 5000; // In a tenth of a second.
    private const int MostPerTenth = 10; // Of a second. A share of a million messages is more than a collector is to be sent.
    private const int MostOpen = 4096; // What waits for an app or a peer that is away is not waited for.
    private static readonly ActivitySource s_source = new(SourceName, CoordinatorVersion.Text);
    private readonly ulong _bound = CallId.BoundOf(ratio);
    private readonly byte[] _self = Encoding.UTF8.GetBytes(instance);
    private readonly Queue<AdmittedRun> _admitted = new();
    private readonly Queue<LoggedCall> _logged = new();
    private readonly Dictionary<string, Queue<SentCall>> _sent = [];
    private ulong _seed;
    private long _tenth;
    private int _inTenth;
    private int _lookedAt;
    private ulong _admittedMessages;
    private ulong _loggedMessages;

    private bool IsSpentNow => _inTenth >= MostPerTenth || _lookedAt >= MostLookedAt;

    /// <inheritdoc/>
    public long Now => time.GetUtcNow().UtcTicks;

    /// <inheritdoc/>
    public void Serves(Guid instanceId)
    {
        _seed = CallId.SeedOf(instanceId);
        (_admittedMessages, _loggedMessages) = (0, 0);
        _admitted.Clear();
        _logged.Clear();
        _sent.Clear();
    }

    /// <inheritdoc/>
    public void Admitted(string sender, int messages, long arrived)
    {
        _admittedMessages += (ulong)messages;
        _admitted.Enqueue(new AdmittedRun(_admittedMessages, sender, arrived, Now));
    }

    /// <inheritdoc/>
    public void Logged(Lsn lsn, ReadOnlySpan<byte> payload, int messages)
    {
        long now = Now;
        if (!IsSpent(now))
        {
            Walk(lsn, payload, now);
        }

        _loggedMessages += (ulong)messages;
        while (_admitted.TryPeek(out AdmittedRun oldest) && oldest.Last <= _loggedMessages)
        {
            _admitted.Dequeue();
        }
    }

    /// <inheritdoc/>
    public void Delivered(Lsn lsn)
    {
        while (_logged.TryPeek(out LoggedCall oldest) && oldest.Lsn <= lsn)
        {
            _logged.Dequeue();
            if (oldest.Lsn == lsn)
            {
                Span("ambrosia.deliver", ActivityKind.Internal, oldest.Call, oldest.Since, Now)?
                    .SetTag("ambrosia.position", $"{lsn.Value}:{oldest.Index}").Stop();
            }
        }
    }

    /// <inheritdoc/>
    public void Sent(string destination, ulong last, in ReadOnlySequence<byte> messages)
    {
        long now = Now;
        if (IsSpent(now))
        {
            return;
        }

        if (messages.IsSingleSegment)
        {
            Look(destination, last, messages.FirstSpan, now);
            return;
        }

        byte[] copy = ArrayPool<byte>.Shared.Rent(checked((int)messages.Length));
        messages.CopyTo(copy);
        Look(destination, last, copy.AsSpan(0, (int)messages.Length), now);
        ArrayPool<byte>.Shared.Return(copy);
    }

    /// <inheritdoc/>
    public void Confirmed(string destination, ulong number)
    {
        if (!_sent.TryGetValue(destination, out Queue<SentCall>? waiting))
        {
            return;
        }

        while (waiting.TryPeek(out SentCall oldest) && oldest.Last <= number)
        {
            waiting.Dequeue();
            Span("ambrosia.link", ActivityKind.Producer, oldest.Call, oldest.Since, Now)?.SetTag("ambrosia.peer", destination).Stop();
        }
    }

    private void Walk(Lsn lsn, ReadOnlySpan<byte> payload, long now)
    {
        int index = 0;
        var outer = new MessageScanner(payload);
        while (outer.MoveNext())
        {
            ReadOnlySpan<byte> run = outer.Type == BindingMessageType.Rpc ? payload[outer.Start..outer.Offset] : outer.Batch;
            var scanner = new KindScanner(run);
            for (; !IsSpentNow && scanner.MoveNext(); index++)
            {
                _lookedAt++;
                if (scanner.IsAwaited || CallId.OfMessage(_seed, lsn.Value, index).IsBelow(_bound))
                {
                    Look(scanner.Data, scanner.IsAwaited, lsn, index, now);
                }
            }
        }
    }

    private void Look(string destination, ulong last, ReadOnlySpan<byte> messages, long now)
    {
        var scanner = new KindScanner(messages);
        while (!IsSpentNow && scanner.MoveNext())
        {
            _lookedAt++;
            if (scanner.IsAwaited)
            {
                Keep(destination, last, RpcHeader.Read(scanner.Data), now);
            }
        }
    }

    private void Keep(string destination, ulong last, in RpcHeader call, long now)
    {
        CallId id = CallId.OfCall(_self, call.CallNumber);
        if (!id.IsBelow(_bound) || !Takes(now))
        {
            return;
        }

        if (!_sent.TryGetValue(destination, out Queue<SentCall>? waiting))
        {
            _sent[destination] = waiting = new Queue<SentCall>();
        }

        if (waiting.Count < MostOpen)
        {
            waiting.Enqueue(new SentCall(last, id.ToContext(), now));
        }
    }

    private void Look(ReadOnlySpan<byte> message, bool awaited, Lsn lsn, int index, long now)
    {
        RpcHeader header = RpcHeader.Read(message);
        CallId id = awaited ? CallId.OfCall(header.Caller, header.CallNumber) : CallId.OfMessage(_seed, lsn.Value, index);
        if (header.Form == RpcForm.Call && header.MethodId >= 0 && id.IsBelow(_bound) && Takes(now))
        {
            Trace(id.ToContext(), lsn, index, now);
        }
    }

    private void Trace(in ActivityContext call, Lsn lsn, int index, long now)
    {
        string position = $"{lsn.Value}:{index}";
        AdmittedRun run = RunOf(_loggedMessages + (ulong)index + 1);
        if (run.Sender is { } sender)
        {
            Span("ambrosia.admit", ActivityKind.Consumer, call, run.Arrived, run.Admitted)?
                .SetTag("ambrosia.position", position).SetTag("ambrosia.peer", sender).Stop();
            Span("ambrosia.log", ActivityKind.Internal, call, run.Admitted, now)?.SetTag("ambrosia.position", position).Stop();
        }

        if (_logged.Count < MostOpen)
        {
            _logged.Enqueue(new LoggedCall(lsn, index, call, now));
        }
    }

    // Nothing more of this tenth is traced: no message is looked at.
    private bool IsSpent(long now)
    {
        if (now / (TimeSpan.TicksPerSecond / 10) is var tenth && tenth != _tenth)
        {
            (_tenth, _inTenth, _lookedAt) = (tenth, 0, 0);
        }

        return IsSpentNow;
    }

    private bool Takes(long now)
    {
        bool takes = !IsSpent(now);
        _inTenth++;
        return takes;
    }

    private AdmittedRun RunOf(ulong message)
    {
        while (_admitted.TryPeek(out AdmittedRun oldest))
        {
            if (oldest.Last >= message)
            {
                return oldest;
            }

            _admitted.Dequeue();
        }

        return default;
    }

    private Activity? Span(string name, ActivityKind kind, in ActivityContext call, long from, long until) => s_source
        .StartActivity(name, kind, call, startTime: new DateTimeOffset(from, TimeSpan.Zero))?
        .SetTag("ambrosia.instance", instance).SetEndTime(new DateTime(Math.Max(from, until), DateTimeKind.Utc));

    /// <summary>Messages of one input in a page; the last of them is this one of all since the instance serves.</summary>
    private readonly record struct AdmittedRun(ulong Last, string? Sender, long Arrived, long Admitted);

    /// <summary>A traced message that the app has not got yet.</summary>
    private readonly record struct LoggedCall(Lsn Lsn, int Index, ActivityContext Call, long Since);

    /// <summary>A traced call that its destination has not confirmed yet.</summary>
    private readonly record struct SentCall(ulong Last, ActivityContext Call, long Since);
}
