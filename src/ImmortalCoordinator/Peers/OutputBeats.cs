using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Peers;

/// <summary>The heartbeats that a sender owes on its control connection.</summary>
internal sealed class OutputBeats
{
    private readonly WakeSignal _work = new();
    private bool _due;

    /// <summary>One is to be sent.</summary>
    public void Offer()
    {
        _due = true;
        _work.Set();
    }

    /// <summary>The session may be over.</summary>
    public void Wake() => _work.Set();

    /// <summary>Sends them until the session is over or the connection breaks.</summary>
    public async Task SendAsync(IConnection control, Func<bool> isOver)
    {
        try
        {
            while (!isOver())
            {
                if (!_due)
                {
                    await _work.WaitAsync();
                    continue;
                }

                _due = false;
                if (!await FrameSender.SendAsync(control.Output, FrameKind.Heartbeat, ReadOnlyMemory<byte>.Empty))
                {
                    return;
                }
            }
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            // The connection broke; the loop dials again.
        }
    }
}
