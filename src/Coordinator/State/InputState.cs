using System.Diagnostics;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// What is known of one input: the receiver's half of docs/internals/exactly-once.md#the-algorithm. Single-threaded by the core's context.
/// </summary>
internal sealed class InputState(string name)
{
    private readonly ContextEvent _durableMoved = new();
    private (Guid SenderId, Watermark Durable, ulong HighestEpoch) _before; // The last other sender of this name that has sent anything.

    public string Name { get; } = name;

    /// <summary>Identity of the sender that the watermarks belong to.</summary>
    public Guid SenderId { get; private set; }

    /// <summary>After the last message copied into a page.</summary>
    public Watermark Accepted { get; private set; }

    /// <summary>As logged in the last durable record that changed it.</summary>
    public Watermark Durable { get; private set; }

    /// <summary>Everything accepted is durable.</summary>
    public bool IsDrained => Accepted == Durable;

    /// <summary>Highest epoch in which the sender has said Hello or was logged.</summary>
    public ulong HighestEpoch { get; private set; }

    /// <summary>The one connection whose frames count.</summary>
    public IInputLink? Current { get; set; }

    /// <summary>Connections at work on it: while there is one it must not be forgotten.</summary>
    public int Connections { get; set; }

    /// <summary>Starts from what the log says.</summary>
    public void Restore(Guid senderId, Watermark logged)
    {
        if (senderId != SenderId)
        {
            Replace(senderId);
        }

        Accepted = logged;
        Durable = logged;
        HighestEpoch = Math.Max(HighestEpoch, logged.SenderEpoch);
    }

    /// <summary>Nothing of a sender of this name is in the log or on its way there.</summary>
    public bool IsUnknown => Accepted == Watermark.None && _before.Durable == Watermark.None;

    /// <summary>
    /// The sender was erased and made again under its name (docs/internals/exactly-once.md H16); or the one before it comes back, and goes
    /// on after what is logged of it.
    /// </summary>
    public void Replace(Guid senderId)
    {
        (_, Watermark durable, ulong epoch) = senderId == _before.SenderId ? _before : default;
        if (Durable != Watermark.None)
        {
            _before = (SenderId, Durable, HighestEpoch);
        }

        SenderId = senderId;
        Accepted = durable;
        Durable = durable;
        HighestEpoch = epoch;
    }

    public void HelloSeen(Guid senderId, ulong epoch)
    {
        SenderId = senderId;
        HighestEpoch = Math.Max(HighestEpoch, epoch);
    }

    public void Accept(Watermark accepted) => Accepted = accepted;

    public void BecameDurable(Guid senderId, Watermark durable)
    {
        // A record of the predecessor of the same name says nothing about its successor.
        if (senderId == SenderId)
        {
            if (durable.Total > Accepted.Total || durable.Total < Durable.Total)
            {
                throw new UnreachableException($"of {Name}, {durable} became durable after {Durable}, and {Accepted} was accepted");
            }

            Durable = durable;
            _durableMoved.Pulse();
        }
    }

    /// <summary>Completes when everything accepted is durable: only then may a Hello be answered (exactly-once.md H1).</summary>
    public async Task WaitUntilDrainedAsync()
    {
        while (!IsDrained)
        {
            await _durableMoved.WaitAsync();
        }
    }
}
