using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Awakeables of an instance without a log and an app.</summary>
internal sealed class FakeAwakeables : IAwakeableEntrance
{
    private static readonly AwakeableKey s_key = new(new byte[AwakeableKey.SecretSize], "http://shop.example");

    /// <summary>What is said of each completion that is new.</summary>
    public OutsideReply Says { get; set; } = Value(AwakeableCompletion.Taken);

    /// <summary>What is said of completions by their hashes.</summary>
    public Dictionary<ulong, OutsideReply> Kept { get; } = [];

    /// <summary>What is said instead of looking at an id; null: nothing.</summary>
    public OutsideReplyKind? Refuses { get; set; }

    /// <summary>Bytes that it was completed with, in order.</summary>
    public List<byte[]> Taken { get; } = [];

    /// <summary>An id that was given out.</summary>
    public static AwakeableId Id(uint type = 7) => AwakeableId.Make(s_key, Guid.Empty, 1, type);

    /// <summary>A reply that is a value.</summary>
    public static OutsideReply Value(params byte[] bytes) => new(OutsideReplyKind.Answer, (byte)RpcForm.Value, bytes);

    public OutsideReplyKind? RefusalOf(in AwakeableId id) =>
        Refuses ?? (id.IsGenuine(s_key, Guid.Empty) ? null : OutsideReplyKind.Unknown);

    public Task<OutsideReply> CompleteAsync(AwakeableId id, AwakeableForm form, ReadOnlyMemory<byte> body, ulong sent,
        CancellationToken stop)
    {
        if (body.Length > 1000)
        {
            throw new ArgumentException("too large", nameof(body));
        }

        if (!Kept.TryGetValue(sent, out OutsideReply known))
        {
            Taken.Add(body.ToArray());
            Kept[sent] = known = Says;
        }

        return Task.FromResult(known);
    }

    public Task<OutsideReply> LookAsync(AwakeableId id, ulong sent, CancellationToken stop) =>
        Task.FromResult(Kept.TryGetValue(sent, out OutsideReply known) ? known : new OutsideReply(OutsideReplyKind.Unknown));
}
