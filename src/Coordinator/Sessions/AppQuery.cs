using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>A question to the app that is not logged and changes nothing.</summary>
/// <param name="Rpc">The call, in delivery form.</param>
/// <param name="AtLeast">Record that must have been executed before it is answered; 0: any.</param>
public sealed record AppQuery(byte[] Rpc, ulong AtLeast)
{
    /// <summary>
    /// Whether only an app answers that has come to the end of its log. Otherwise one that recovers may, between two records that it
    /// executes again. Default false.
    /// </summary>
    public bool OfPresent { get; init; }

    /// <summary>Asks a method.</summary>
    /// <param name="methodId">The method.</param>
    /// <param name="arguments">Its arguments as the app reads them.</param>
    /// <param name="atLeast">Record that must have been executed before it is answered; 0: any.</param>
    public static AppQuery Of(int methodId, ReadOnlySpan<byte> arguments, ulong atLeast = 0)
    {
        Span<byte> head = stackalloc byte[RpcHeader.LargestCall];
        return new AppQuery([.. head[..RpcHeader.WriteCall(head, methodId, RpcKind.Fork)], .. arguments], atLeast);
    }
}
