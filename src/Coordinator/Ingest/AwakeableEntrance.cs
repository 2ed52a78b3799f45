using System.Buffers;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Where awakeables are completed (outside-calls.md X29): by calls from outside, each under a key that says which awakeable and what. The
/// app decides whether it is open, once. Without its id nobody gets so far.
/// </summary>
/// <param name="entrance">Takes calls from outside.</param>
internal sealed class AwakeableEntrance(OutsideEntrance entrance) : IAwakeableEntrance
{
    private volatile Tuple<Func<AwakeableKey?>, Guid>? _names;

    /// <summary>This process is the primary, and the instance exists.</summary>
    /// <param name="key">What the durable log says by now.</param>
    /// <param name="instance">The instance's id.</param>
    public void Open(Func<AwakeableKey?> key, Guid instance) => _names = Tuple.Create(key, instance);

    /// <inheritdoc/>
    public OutsideReplyKind? RefusalOf(in AwakeableId id) =>
        _names is not { } names ? OutsideReplyKind.Unavailable
            : names.Item1() is not { } key ? OutsideReplyKind.Unavailable // Another may act by now, and have named it (X19).
            : id.IsGenuine(key, names.Item2) ? null : OutsideReplyKind.Unknown;

    /// <inheritdoc/>
    public Task<OutsideReply> CompleteAsync(
        AwakeableId id, AwakeableForm form, ReadOnlyMemory<byte> body, ulong sent, CancellationToken stop)
    {
        if (RefusalOf(id) is { } refusal)
        {
            return Task.FromResult(new OutsideReply(refusal));
        }

        var arguments = new ArrayBufferWriter<byte>();
        new AwakeableCompletion(id.Number, form, body).Write(arguments);
        OutsideKey key = KeyOf(id, sent);
        return entrance.CompleteAsync(
            key, new OutsideSubmission(key, ReservedMethods.AwakeableDone, arguments.WrittenMemory, key.N), stop);
    }

    /// <inheritdoc/>
    public Task<OutsideReply> LookAsync(AwakeableId id, ulong sent, CancellationToken stop) =>
        RefusalOf(id) is { } refusal ? Task.FromResult(new OutsideReply(refusal)) : entrance.CompleteAsync(KeyOf(id, sent), null, stop);

    // A line for each awakeable, and in it a call for each thing that was said of it: a caller that knows one awakeable fills one line.
    private static OutsideKey KeyOf(in AwakeableId id, ulong sent) =>
        new(OutsideNames.Awakeables, KeyHash.Of(id.ToString()), Born: 0, Math.Max(1, sent));
}
