namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Bytes of replies that a stream's client has not taken yet. While they are many, no more are fetched for it.</summary>
/// <param name="most">How many may wait before that; the last reply may exceed it.</param>
internal sealed class ReplyRoom(int most)
{
    private readonly object _gate = new();
    private TaskCompletionSource? _room;
    private long _bytes;

    /// <summary>A reply waits to be written.</summary>
    public void Add(int bytes)
    {
        lock (_gate)
        {
            _bytes += bytes;
        }
    }

    /// <summary>Replies have been written, or nobody waits for them.</summary>
    public void Remove(int bytes)
    {
        TaskCompletionSource? room = null;
        lock (_gate)
        {
            _bytes -= bytes;
            if (_bytes <= most)
            {
                (room, _room) = (_room, null);
            }
        }

        room?.TrySetResult();
    }

    /// <summary>Waits until there is room.</summary>
    public Task WaitAsync(CancellationToken stop)
    {
        lock (_gate)
        {
            if (_bytes <= most)
            {
                return Task.CompletedTask;
            }

            _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _room.Task.WaitAsync(stop);
        }
    }
}
