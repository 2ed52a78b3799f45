using Ambrosia.Protocol;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>What the destination's log holds of the sender, whichever life of the destination wrote it; says when that is against the
/// rules.</summary>
internal sealed class ModelLog
{
    private readonly HashSet<ModelMessage> _impulses = [];
    private ulong _replayable;

    public Watermark Durable { get; private set; }

    public string? Violation { get; private set; }

    public ulong Replayable => _replayable;

    public bool Holds(ModelMessage message) => message.Impulse ? _impulses.Contains(message) : message.Identity <= _replayable;

    public void Append(IEnumerable<ModelMessage> messages, Watermark durable)
    {
        foreach (ModelMessage message in messages)
        {
            if (message.Impulse)
            {
                Violation ??= _impulses.Add(message) ? null : $"impulse {message.Identity} is logged twice (G2)";
            }
            else
            {
                Violation ??= message.Identity == _replayable + 1 ? null : $"message {message.Identity} is logged after {_replayable} (G1)";
                _replayable = message.Identity;
            }
        }

        Durable = durable;
    }
}
