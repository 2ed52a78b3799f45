using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The observer's part that deals with awakeables (docs/internals/outside-calls.md X29, X32): each has one name in all lives, is completed
/// once, its waiter gets that in all lives, and what people are told is true.
/// </summary>
internal sealed class AwakeableWatch(SimReport report, Action<ulong> note, Action<bool, string> require)
{
    private readonly Dictionary<(string Instance, ulong Id), AwakeableErrand> _errands = [];
    private readonly List<AwakeableErrand> _inOrder = [];

    /// <summary>All, in the order in which they were opened first.</summary>
    public IReadOnlyList<AwakeableErrand> All => _inOrder;

    /// <summary>A turn opens one, for the first time or again.</summary>
    public void Opened(string instance, ulong id, string text)
    {
        if (!_errands.TryGetValue((instance, id), out AwakeableErrand? errand))
        {
            _errands.Add((instance, id), errand = new AwakeableErrand(instance, id, text));
            _inOrder.Add(errand);
        }

        require(errand.Text == text, $"{instance}: awakeable {id:x} is named {text}, and was {errand.Text} (X32)");
    }

    /// <summary>Who waited for one has got something, for the first time or again; 0 at its deadline.</summary>
    public bool Came(string instance, ulong id, ulong value, bool hasDeadline)
    {
        AwakeableErrand errand = _errands[(instance, id)];
        note(value);
        require(value == 0 ? hasDeadline
            : errand.Sent.Contains(value), $"{instance}: awakeable {id:x} brings {value:x}, which nobody has sent (X29)");
        require(errand.Came is null
            || errand.Came == value, $"{instance}: awakeable {id:x} brings {value:x}, and brought {errand.Came:x} (X29)");
        if (errand.Came is null)
        {
            report.Sometimes(value == 0 ? Sighting.AwakeableExpired : Sighting.AwakeableCame);
        }

        errand.Came = value;
        return true;
    }

    /// <summary>Somebody who completes one was told something. Whether that is the last word.</summary>
    public bool Told(AwakeableErrand errand, ulong value, in OutsideReply reply)
    {
        note((ulong)reply.Kind);
        if (reply.Kind is OutsideReplyKind.Accepted or OutsideReplyKind.Full or OutsideReplyKind.Unavailable)
        {
            return false;
        }

        bool isValue = reply is { Kind: OutsideReplyKind.Answer, Form: (byte)RpcForm.Value, Bytes.Length: 1 };
        byte said = isValue ? reply.Bytes.Span[0] : byte.MaxValue;
        if (said == AwakeableCompletion.Taken)
        {
            report.Sometimes(errand.Taken is null ? Sighting.AwakeableTaken : Sighting.AwakeableTakenAgain);
            require(errand.Came == value,
                $"{errand.Instance}: {value:x} is taken for awakeable {errand.Id:x}, which brings {errand.Came:x} (X29)");
            errand.Taken = value;
            return true;
        }

        report.Sometimes(Sighting.AwakeableNotOpen);
        require(said == AwakeableCompletion.NotOpen, $"{errand.Instance}: {reply.Kind} is said of awakeable {errand.Id:x} (X29)");
        require(errand.Came is not null, $"{errand.Instance}: awakeable {errand.Id:x} is called closed, and nobody has got anything (X29)");
        return true;
    }

    /// <summary>Somebody has tried a name that nobody was given.</summary>
    public void ToldOfForged(string instance, in OutsideReply reply)
    {
        report.Sometimes(Sighting.AwakeableForged);
        require(
            reply.Kind is OutsideReplyKind.Unknown or OutsideReplyKind.Unavailable,
            $"{instance}: {reply.Kind} is said of an awakeable that nobody was given (X29)");
    }

    /// <summary>A completion is executed for the first time.</summary>
    public void Executed(string instance, in RpcHeader header)
    {
        bool isRead = AwakeableCompletion.TryRead(header.Body, out AwakeableCompletion done);
        ulong value = !isRead ? 0 : done.Form == AwakeableForm.Rejection
            ? ulong.Parse(done.Reason, System.Globalization.CultureInfo.InvariantCulture) : ReadValue(done.Body.Span);
        require(
            _inOrder.Exists(errand => errand.Instance == instance && errand.Sent.Contains(value)),
            $"{instance}: an awakeable is completed with {value:x}, which nobody has sent (X29)");
    }

    /// <summary>Healed and idle: what was taken has come.</summary>
    public void RequireComplete()
    {
        foreach (AwakeableErrand errand in _inOrder)
        {
            require(errand.Came is not null, $"{errand.Instance}: awakeable {errand.Id:x} was never completed");
            require(errand.Taken is null || errand.Taken == errand.Came,
                $"{errand.Instance}: awakeable {errand.Id:x} took {errand.Taken:x} and brought {errand.Came:x} (X29)");
        }
    }

    private static ulong ReadValue(ReadOnlySpan<byte> body)
    {
        var reader = new MessagePackReader(body);
        return reader.ReadUInt64();
    }
}
