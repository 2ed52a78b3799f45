using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>A table of calls in memory, without a log and an app.</summary>
internal sealed class FakeEntrance : IOutsideEntrance
{
    private readonly object _gate = new();
    private readonly Dictionary<OutsideKey, (OutsideSubmission Call, TaskCompletionSource<OutsideReply> Answer)> _kept = [];

    public Guid? InstanceId { get; set; } = new Guid("0123456789abcdef0123456789abcdef");

    /// <summary>Calls that were admitted, in order.</summary>
    public List<OutsideSubmission> Admitted { get; } = [];

    /// <summary>How many calls have come, repeats and refused ones too.</summary>
    public int Asked { get; private set; }

    /// <summary>The answer to a new call; null: none yet.</summary>
    public Func<OutsideSubmission, OutsideReply?> Answer { get; set; } = static _ =>
        new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Void);

    /// <summary>What is said instead of looking; null: nothing.</summary>
    public OutsideReplyKind? Says { get; set; }

    /// <summary>What is said instead of looking, by the call; null: nothing.</summary>
    public Func<OutsideSubmission, OutsideReplyKind?> SaysOf { get; set; } = static _ => null;

    /// <summary>Whether nobody can say what is true of a call.</summary>
    public bool IsStuck { get; set; }

    /// <summary>Bytes of the largest arguments.</summary>
    public int Largest { get; set; } = int.MaxValue;

    /// <summary>Answers a call that is pending.</summary>
    public void Complete(OutsideReply reply)
    {
        lock (_gate)
        {
            foreach ((_, TaskCompletionSource<OutsideReply> answer) in _kept.Values)
            {
                answer.TrySetResult(reply);
            }
        }
    }

    // As in the core, who waits no longer by then brings nothing into the log.
    public Task<OutsideReply> CallAsync(OutsideSubmission call, CancellationToken stop) =>
        stop.IsCancellationRequested ? Task.FromCanceled<OutsideReply>(stop) : WaitAsync(Admit(call), stop);

    public Task<OutsideReply> SendAsync(OutsideSubmission call, CancellationToken stop)
    {
        Task<OutsideReply> answer = Admit(call);
        return answer.IsCompleted ? answer : Task.FromResult(new OutsideReply(OutsideReplyKind.Accepted));
    }

    public Task<OutsideReply> LookAsync(OutsideKey key, CancellationToken stop)
    {
        if (stop.IsCancellationRequested)
        {
            return Task.FromCanceled<OutsideReply>(stop);
        }

        lock (_gate)
        {
            return Says is { } kind ? Task.FromResult(new OutsideReply(kind))
                : _kept.TryGetValue(key with { Low = 0 }, out var known) ? WaitAsync(known.Answer.Task, stop)
                : Task.FromResult(new OutsideReply(OutsideReplyKind.Unknown));
        }
    }

    private async Task<OutsideReply> WaitAsync(Task<OutsideReply> answer, CancellationToken stop)
    {
        try
        {
            return await answer.WaitAsync(stop);
        }
        catch (OperationCanceledException) when (!IsStuck)
        {
            return new OutsideReply(OutsideReplyKind.Accepted);
        }
    }

    private Task<OutsideReply> Admit(OutsideSubmission call)
    {
        if (call.Arguments.Length > Largest)
        {
            throw new ArgumentException("too large", nameof(call));
        }

        lock (_gate)
        {
            Asked++;
            if ((Says ?? SaysOf(call)) is { } kind)
            {
                return Task.FromResult(new OutsideReply(kind));
            }

            if (call.Key is { } key && _kept.TryGetValue(key with { Low = 0 }, out var known))
            {
                return known.Call.Body == call.Body ? known.Answer.Task : Task.FromResult(new OutsideReply(OutsideReplyKind.OtherBody));
            }

            Admitted.Add(call);
            var answer = new TaskCompletionSource<OutsideReply>(TaskCreationOptions.RunContinuationsAsynchronously);
            if (!IsStuck && Answer(call) is { } reply)
            {
                answer.SetResult(reply);
            }

            if (call.Key is { } made)
            {
                _kept[made with { Low = 0 }] = (call, answer);
            }

            return answer.Task;
        }
    }
}
