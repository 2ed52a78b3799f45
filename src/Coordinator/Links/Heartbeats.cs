using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Links;

/// <summary>Says on every link that this side lives, and ends links whose other side has been silent for three beats.</summary>
internal sealed class Heartbeats(PeerSettings settings, Func<List<PeerInputLink>> inputs, IReadOnlyList<PeerOutputLink> outputs,
    Action beat)
{
    /// <summary>Beats until stopped; each beat also does what else has that rhythm.</summary>
    public async Task RunAsync(CancellationToken stopping)
    {
        while (!stopping.IsCancellationRequested)
        {
            await Task.Delay(settings.Heartbeat, settings.Time, stopping);
            inputs().ForEach(BeatInput);
            foreach (PeerOutputLink link in outputs)
            {
                BeatOutput(link);
            }

            beat();
        }
    }

    private void BeatInput(PeerInputLink link)
    {
        if (IsSilent(link.LastHeard))
        {
            CoreLog.PeerSilent(settings.Logger, link.Input.Name);
            link.Close();
        }
        else
        {
            link.OfferHeartbeat();
        }
    }

    private void BeatOutput(PeerOutputLink link)
    {
        if (link.Connected && IsSilent(link.LastHeard))
        {
            CoreLog.PeerSilent(settings.Logger, link.Buffer.Destination);
            link.EndSession();
        }
        else
        {
            link.OfferHeartbeat();
        }
    }

    private bool IsSilent(long lastHeard) => settings.Time.GetElapsedTime(lastHeard) > settings.DeadAfter;
}
