namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>The core's part that others see: what it does at each heartbeat, and the picture it paints then.</summary>
public sealed partial class ImmortalCore
{
    private void Beat()
    {
        LookAtApp();
        Paint();
        if (!_pending.IsEmpty)
        {
            // On an idle instance trims and digests would otherwise wait for the next input (docs/exactly-once.md H13).
            _appender.RequestFlush();
        }
    }

    private void ChangeRole(string role)
    {
        _counters.Role = role;
        Paint();
    }

    private void Paint()
    {
        NotePoison();
        if (_log is { Checkpoints: [var first, ..] checkpoints })
        {
            _backPressure.Forget(checkpoints.Aggregate(first.Lsn, static (oldest, each) => each.Lsn < oldest ? each.Lsn : oldest).Value);
        }

        _board?.Paint(StatusPainter.Paint(
            _options, _identity, _counters, _app, _appServer, _inputs, _outputs, _outputLinks, _backPressure, _spill.Awaited,
            _environment.Time.GetElapsedTime(_started)));
    }
}
