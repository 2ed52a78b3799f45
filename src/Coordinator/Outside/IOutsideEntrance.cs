namespace Ambrosia.Coordinator.Outside;

/// <summary>
/// Where calls from outside enter: what an address for HTTP or gRPC knows of the coordinator. It may be used from any thread.
/// </summary>
public interface IOutsideEntrance
{
    /// <summary>Id of the instance's log; null before this process is the primary.</summary>
    Guid? InstanceId { get; }

    /// <summary>
    /// Brings a call into the log, once for its key, and waits for its answer. A repeat waits for, or is given, the answer of the first.
    /// The token ends the waiting and never the call (X21): the reply is then <see cref="OutsideReplyKind.Accepted"/> if the call is
    /// durable by then, and an <see cref="OperationCanceledException"/> if nobody can say.
    /// </summary>
    /// <param name="call">The call.</param>
    /// <param name="stop">Ends the waiting.</param>
    Task<OutsideReply> CallAsync(OutsideSubmission call, CancellationToken stop);

    /// <summary>
    /// As <see cref="CallAsync"/>, but it waits only until the call is durable: the reply is then <see cref="OutsideReplyKind.Accepted"/>,
    /// or the answer if that is there.
    /// </summary>
    /// <param name="call">The call.</param>
    /// <param name="stop">Ends the waiting.</param>
    Task<OutsideReply> SendAsync(OutsideSubmission call, CancellationToken stop);

    /// <summary>Looks for a call by its key, and waits for its answer if it is pending. It brings nothing into the log.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="stop">Ends the waiting; the reply is then <see cref="OutsideReplyKind.Accepted"/>.</param>
    Task<OutsideReply> LookAsync(OutsideKey key, CancellationToken stop);
}
