using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

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

    /// <summary>Sends them until the session is over or the connection breaks, of which <paramref name="broke"/> is told.</summary>
    public async Task SendAsync(IConnection control, Func<bool> isOver, Action<IOException> broke)
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
            broke(error);
        }
    }
}
