using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Links;

/// <summary>Says on every link that this side lives, and ends links whose other side has been silent for three beats.</summary>
internal sealed class Heartbeats(PeerSettings settings, Func<List<PeerInputLink>> inputs, IReadOnlyList<PeerOutputLink> outputs,
    Action beat)
{
    private bool _mayJudge = true;

    /// <summary>Beats until stopped; each beat also does what else has that rhythm.</summary>
    public async Task RunAsync(CancellationToken stopping)
    {
        while (!stopping.IsCancellationRequested)
        {
            long before = settings.Time.GetTimestamp();
            await Task.Delay(settings.Heartbeat, settings.Time, stopping);
            // A beat that comes late was held up, and so was what the others have said: it is read before the next one.
            _mayJudge = settings.Time.GetElapsedTime(before) < settings.Heartbeat * 2 || !_mayJudge;
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

    private bool IsSilent(long lastHeard) => _mayJudge && settings.Time.GetElapsedTime(lastHeard) > settings.DeadAfter;
}
