namespace Ambrosia.Coordinator.Outside;

/// <summary>What its caller is told of a call from outside.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Form">With an answer: how its bytes are to be read, a result or an exception, as in a reply between immortals.</param>
/// <param name="Bytes">With an answer: its bytes.</param>
public readonly record struct OutsideReply(OutsideReplyKind Kind, byte Form = 0, ReadOnlyMemory<byte> Bytes = default)
{
    /// <summary>What is told where nothing more is to be waited for.</summary>
    internal static OutsideReply Of(OutsideVerdict verdict) => new(verdict switch
    {
        OutsideVerdict.OtherBody => OutsideReplyKind.OtherBody,
        OutsideVerdict.Forgotten => OutsideReplyKind.Forgotten,
        OutsideVerdict.Acknowledged => OutsideReplyKind.Acknowledged,
        OutsideVerdict.Future => OutsideReplyKind.Future,
        OutsideVerdict.Full => OutsideReplyKind.Full,
        _ => throw new System.Diagnostics.UnreachableException($"{verdict} is no reply"),
    });
}
