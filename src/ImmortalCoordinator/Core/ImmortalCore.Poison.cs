using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Poison;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>The core's part that deals with messages that kill or block the app.</summary>
public sealed partial class ImmortalCore
{
    private PoisonGuard _guard = null!;
    private TurnWatchdog _watchdog = null!;
    private LimitWatch _limits = null!;
    private DeadLetterDesk? _desk;

    private void OpenDesk()
    {
        _limits = new LimitWatch(_backPressure, _spill, _options.InstanceName, _options.Watchdog, _environment.Time, _logger);
        _watchdog = new TurnWatchdog(_log, _options.Watchdog, _options.HandlerDeadline, _environment.Time, _logger);
        _desk = new DeadLetterDesk(_guard, _watchdog, _log, _pipeline, _inputs, _appServer, _logger, _stopping.Token);
    }

    private void LookAtApp()
    {
        _limits.Look(_counters.AppPosition, _outputs);
        // While it waits for room in the scratch files the app waits for us, not we for it.
        if (!_spill.HoldsApp && _watchdog.Look(_appServer.Session))
        {
            _loops.Start(_watchdog.TellAsync);
        }
    }

    private void NotePoison()
    {
        if (_desk is not null)
        {
            _counters.Hold = _guard.HoldText;
            _counters.Stuck = _watchdog.Text.Length > 0 ? _watchdog.Text : _limits.Text;
            _counters.StuckSeconds = _watchdog.Seconds;
            _counters.IsLate = _watchdog.IsLate;
            _counters.DeadLetters = _guard.State.Letters.Count;
        }
    }
}
