using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The observer's part that deals with calls from outside (docs/internals/outside-calls.md): each is executed at one place at most, all its
/// answers are the same, and what callers are told is true.
/// </summary>
internal sealed class OutsideWatch(SimReport report, Action<ulong> note, Action<bool, string> require, Action<string>? print)
{
    private readonly Dictionary<ulong, OutsideErrand> _errands = [];
    private readonly Dictionary<(string Instance, long Number), OutsideErrand> _numbers = [];
    private readonly Dictionary<(string Instance, string Caller, KeyHash Text, ulong N), List<OutsideErrand>> _keys = [];
    private readonly Dictionary<(string Instance, long Number), ulong?> _completions = []; // Of awakeables: what was answered.
    private readonly List<OutsideErrand> _otherIsCertain = [];
    private readonly Dictionary<string, long> _logged = [];

    /// <summary>What becomes of awakeables.</summary>
    public AwakeableWatch Awakeables { get; } = new(report, note, require);

    /// <summary>Somebody is about to call for the first time.</summary>
    public OutsideErrand Begins(string instance, ulong id, OutsideKey? key)
    {
        var errand = new OutsideErrand(instance, id, key);
        _errands.Add(id, errand);
        if (key is { } known)
        {
            var place = (instance, known.Caller, known.Text, known.N);
            if (!_keys.TryGetValue(place, out List<OutsideErrand>? same))
            {
                _keys[place] = same = [];
            }

            same.Add(errand);
        }

        return errand;
    }

    /// <summary>A call from outside is executed for the first time (X1, X4, X6).</summary>
    public void Executed(string instance, MessagePosition at, ReadOnlySpan<byte> rpc)
    {
        RpcHeader header = RpcHeader.Read(rpc);
        long expected = _logged[instance] = _logged.GetValueOrDefault(instance) + 1;
        require(header.CallNumber == expected,
            $"{instance}: {at} is call {header.CallNumber} from outside, and {expected} would be the next (X4)");
        if (header.MethodId == ReservedMethods.AwakeableDone)
        {
            _completions[(instance, header.CallNumber)] = null;
            Awakeables.Executed(instance, header);
            return;
        }

        var arguments = new MessagePackReader(header.Body);
        arguments.ReadArrayHeader();
        ulong id = arguments.ReadUInt64();
        if (!_errands.TryGetValue(id, out OutsideErrand? errand) || errand.Instance != instance)
        {
            require(false, $"{instance}: {at} is a call from outside that nobody has made");
            return;
        }

        require(errand.Place is null, $"{instance}: call {id:x} from outside is executed at {errand.Place} and at {at} (X1)");
        OutsideErrand? other = OthersOf(errand).FirstOrDefault(static other => other.Place is not null);
        require(other is null,
            $"{instance}: calls {id:x} and {other?.Id:x} have one key, and are executed at {at} and {other?.Place} (X5)");
        require(!errand.IsRefused,
            $"{instance}: call {id:x} from outside is executed at {at} after somebody was told that it never would be (X6)");
        errand.Place = at;
        _numbers[(instance, header.CallNumber)] = errand;
    }

    /// <summary>A turn that answers a call has ended; ended again it answers the same (G4).</summary>
    public void Answered(string instance, long number, ulong identity)
    {
        note(identity);
        if (_completions.TryGetValue((instance, number), out ulong? first))
        {
            require(first is null || first == identity,
                $"{instance}: call {number} from outside, of an awakeable, is answered again, and by something else (G4)");
            _completions[(instance, number)] = identity;
            return;
        }

        if (!_numbers.TryGetValue((instance, number), out OutsideErrand? errand))
        {
            require(false, $"{instance}: answers call {number} from outside, which it was never given");
            return;
        }

        print?.Invoke($"{instance}: answers call {errand.Id:x} from outside, number {number}");
        if (errand.Answer is { } before)
        {
            report.Sometimes(Sighting.OutsideAnsweredAgain);
            require(before == identity, $"{instance}: call {errand.Id:x} from outside is answered again, and by something else (G4)");
        }

        errand.Answer = identity;
    }

    /// <summary>Somebody was told something of its call. Whether that is the last word.</summary>
    /// <param name="errand">The call.</param>
    /// <param name="reply">What it was told.</param>
    /// <param name="wasKnown">Whether the call was known to be durable before this was asked.</param>
    /// <param name="byKey">Whether it asked by the key only.</param>
    public bool Told(OutsideErrand errand, in OutsideReply reply, bool wasKnown, bool byKey)
    {
        if (byKey && OthersOf(errand).Any())
        {
            return false; // It may be told of another call, which came with its key.
        }

        print?.Invoke($"outside: {errand.Instance} says {reply.Kind} of {errand.Id:x}");
        note((ulong)reply.Kind);
        switch (reply.Kind)
        {
            case OutsideReplyKind.Answer:
                TakeAnswer(errand, reply);
                return true;
            case OutsideReplyKind.Accepted:
                report.Sometimes(Sighting.OutsideAccepted);
                errand.IsCertain = true;
                return false;
            case OutsideReplyKind.OtherBody:
                report.Sometimes(Sighting.OutsideOtherBody);
                _otherIsCertain.Add(errand);
                errand.IsRefused |= errand.Place is null;
                require(errand.Place is null,
                    $"{errand.Instance}: call {errand.Id:x} is executed at {errand.Place}, and called another one (X5)");
                return true;
            case OutsideReplyKind.Forgotten:
                report.Sometimes(errand.Place is null ? Sighting.OutsideRefusedAsOld : Sighting.OutsideForgotten);
                RequireOver(errand, "forgotten (X9)");
                return true;
            case OutsideReplyKind.Acknowledged:
                report.Sometimes(Sighting.OutsideAcknowledged);
                errand.IsRefused |= errand.Place is null;
                return true;
            case OutsideReplyKind.Unknown:
                report.Sometimes(Sighting.OutsideUnknown);
                require(!wasKnown, $"{errand.Instance}: call {errand.Id:x} from outside is durable, and called unknown (X19)");
                return false;
            case OutsideReplyKind.Lost:
                report.Sometimes(Sighting.OutsideLost);
                require(errand.Key is null, $"{errand.Instance}: call {errand.Id:x} has a key, and is lost (X28)");
                return true;
            default:
                report.Sometimes(reply.Kind == OutsideReplyKind.Full ? Sighting.OutsideFull : Sighting.OutsideUnavailable);
                return false;
        }
    }

    /// <summary>Healed and idle: what was said of a call is true of the log, and what is there has its answer.</summary>
    public void RequireComplete()
    {
        Awakeables.RequireComplete();
        foreach (OutsideErrand errand in _errands.Values)
        {
            require(errand.Place is not null
                || !errand.IsCertain, $"{errand.Instance}: call {errand.Id:x} from outside was called durable, and is not there (X3)");
            require(errand.Place is null || errand.Answer is not null,
                $"{errand.Instance}: call {errand.Id:x} from outside is at {errand.Place}, and has no answer");
        }

        foreach (OutsideErrand errand in _otherIsCertain)
        {
            require(OthersOf(errand).Any(static other => other.Place is not null),
                $"{errand.Instance}: call {errand.Id:x} from outside was refused because of another with its key, and none is there (X3)");
        }
    }

    private IEnumerable<OutsideErrand> OthersOf(OutsideErrand errand) => errand.Key is not { } key ? []
        : _keys[(errand.Instance, key.Caller, key.Text, key.N)].Where(other => other != errand);

    private void TakeAnswer(OutsideErrand errand, in OutsideReply reply)
    {
        report.Sometimes(errand.Told is null ? Sighting.OutsideCalled : Sighting.OutsideRepeated);
        ulong answer = IdentityOf((RpcForm)reply.Form, reply.Bytes.Span);
        require(IsRight(errand, reply),
            $"{errand.Instance}: call {errand.Id:x} from outside is answered with something else than its answer: form {reply.Form}, "
            + $"{Convert.ToHexString(reply.Bytes.Span)}");
        require(errand.Place is not null, $"{errand.Instance}: call {errand.Id:x} from outside is answered, and nobody has executed it");
        require(errand.Answer is not null,
            $"{errand.Instance}: call {errand.Id:x} from outside is answered before its turn has ended (X13)");
        require(errand.Answer == answer
            && (errand.Told ?? answer) == answer, $"{errand.Instance}: call {errand.Id:x} from outside has two answers");
        (errand.Told, errand.IsCertain) = (answer, true);
    }

    // Forgotten or done with is only what has its answer, or was never there and never will be.
    private void RequireOver(OutsideErrand errand, string what)
    {
        errand.IsRefused |= errand.Place is null;
        require(!errand.IsCertain || errand.Place is not null, $"{errand.Instance}: call {errand.Id:x} was called durable, and is {what}");
        require(errand.Place is null || errand.Answer is not null, $"{errand.Instance}: call {errand.Id:x} is pending, and {what}");
    }

    /// <summary>A number for an answer: to the byte, because each life must give the same.</summary>
    public static ulong IdentityOf(RpcForm form, ReadOnlySpan<byte> body) => Bits.Mix((ulong)form, Bits.Hash(body));

    private static bool IsRight(OutsideErrand errand, in OutsideReply reply)
    {
        var reader = new MessagePackReader(reply.Bytes.Span);
        return (RpcForm)reply.Form switch
        {
            RpcForm.Value => reader.ReadUInt64() == Workload.AnswerTo(errand.Id),
            RpcForm.Exception => ExceptionCodec.Read(reply.Bytes.Span).Message == $"{errand.Id}" && Workload.IsRefused(errand.Id),
            _ => false,
        };
    }
}
