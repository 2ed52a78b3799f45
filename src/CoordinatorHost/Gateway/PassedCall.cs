using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>A call on a stream to an instance, from when it is given to the stream until nobody waits for it.</summary>
internal sealed class PassedCall
{
    private readonly TaskCompletionSource<InstanceSaid> _said = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ReadOnlyMemory<byte> _written; // Let go of when it has left or was dropped.
    private readonly bool _sends;
    private readonly uint _wait;
    private int _state = Waits;

    private const int Waits = 0;
    private const int HasLeft = 1;
    private const int IsDropped = 2;
    private const int IsOver = 3;

    /// <summary>A call that waits to be written.</summary>
    /// <param name="id">Its number on the stream.</param>
    /// <param name="written">The call, as its client has written it.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="wait">How long the instance waits, in milliseconds.</param>
    public PassedCall(ulong id, ReadOnlyMemory<byte> written, bool sends, uint wait) =>
        (Id, _written, _sends, _wait) = (id, written, sends, wait);

    private PassedCall(ulong id) => (Id, _state) = (id, IsOver);

    /// <summary>Its number on the stream.</summary>
    public ulong Id { get; }

    /// <summary>What became of it.</summary>
    public Task<InstanceSaid> Said => _said.Task;

    /// <summary>Whether a byte of it may have left.</summary>
    public bool MayHaveArrived => Volatile.Read(ref _state) == HasLeft;

    /// <summary>What tells the instance that nobody waits for a call any more.</summary>
    public static PassedCall NobodyWaitsFor(ulong id) => new(id);

    /// <summary>Lets go of it, if no byte of it has left; false if one may have.</summary>
    public bool TryDrop()
    {
        if (Interlocked.CompareExchange(ref _state, IsDropped, Waits) != Waits)
        {
            return false;
        }

        _written = default;
        return true;
    }

    /// <summary>Writes it, unless it was dropped.</summary>
    public void WriteTo(IngressBatchWriter batch)
    {
        int state = Interlocked.CompareExchange(ref _state, HasLeft, Waits);
        if (state == Waits)
        {
            batch.AddWritten(Id, _written.Span, _sends, _wait);
            _written = default;
        }
        else if (state == IsOver)
        {
            batch.Add(Id, null, false, 0);
        }
    }

    /// <summary>Its reply is there.</summary>
    public void Tell(in IngressStreamedReply reply) => _said.TrySetResult(new InstanceSaid(reply, null, true));

    /// <summary>Its stream has ended.</summary>
    public void End(StreamEnd end) => _said.TrySetResult(new InstanceSaid(null, end, !TryDrop()));
}
