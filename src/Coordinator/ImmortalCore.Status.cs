using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.State;


namespace Ambrosia.Coordinator;

/// <summary>The core's part that others see: what it does at each heartbeat, and the picture it paints then.</summary>
public sealed partial class ImmortalCore
{
    private OutputDropper? _dropper;

    private void Beat()
    {
        if (_dropper is { } dropper && dropper.Choose(_outputLinks) is { } link)
        {
            _instance.Loops.Start(() => dropper.DropAsync(link));
        }

        if (_care is { } care)
        {
            LookAtApp(care);
        }

        _parts.Outside.Beat();
        PublishStatus();
        if (!_pending.IsEmpty)
        {
            // On an idle instance trims and digests would otherwise wait for the next input (docs/internals/exactly-once.md H13).
            _parts.Appender.RequestFlush();
        }
    }

    private void PublishStatus()
    {
        NotePoison();
        _counters.Missed = _parts.PipelineIfMade?.Missed ?? 0;
        if (_parts.LogIfOpen is { Checkpoints: [var first, ..] checkpoints })
        {
            _backPressure.Forget(checkpoints.Aggregate(first.Lsn, static (oldest, each) => each.Lsn < oldest ? each.Lsn : oldest).Value);
        }

        _board?.Show(StatusSnapshotBuilder.Build(
            _options, _parts.IdentityIfKnown, _roles.Current, _counters, _position, _parts.AppServerIfMade, _parts.CutoverIfMade?.Status,
            _parts.StateIfMade, _parts.CheckpointsIfMade,
            _outputLinks, _backPressure, _spill.Awaited,
            _environment.Time.GetElapsedTime(_started), _environment.Time.GetUtcNow()));
    }
}
