using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;


namespace Ambrosia.Coordinator;

/// <summary>The core's part that deals with messages that kill or block the app.</summary>
public sealed partial class ImmortalCore
{
    private AppCare? _care;

    private void OpenDeadLetters()
    {
        var limits = new LimitWatch(_backPressure, _spill, _options.InstanceName, _options.Watchdog, _environment.Time, _instance.Logger);
        var watchdog = new TurnWatchdog(_parts.Log, _options.Watchdog, _options.HandlerDeadline, _environment.Time, _instance.Logger);
        var deadLetters = new DeadLetterService(
            _parts.Guard, watchdog, _parts.Log, _parts.Pipeline, _parts.State.Inputs, _parts.AppServer, _instance.Logger, _stopping.Token);
        _care = new AppCare(watchdog, limits, deadLetters);
    }

    private void LookAtApp(AppCare care)
    {
        care.Limits.Look(_counters.AppPosition, _parts.State.Outputs);
        // While it waits for room in the scratch files the app waits for us, not we for it.
        if (!_spill.HoldsApp && care.Watchdog.Look(_parts.AppServer.Session))
        {
            _instance.Loops.Start(care.Watchdog.TellAsync);
        }
    }

    private void NotePoison()
    {
        if (_care is { } care)
        {
            _counters.Hold = _parts.Guard.HoldText;
            _counters.Stuck = care.Watchdog.Text.Length > 0 ? care.Watchdog.Text : care.Limits.Text;
            _counters.StuckSeconds = care.Watchdog.Seconds;
            _counters.IsLate = care.Watchdog.IsLate;
            _counters.DeadLetters = _parts.State.Poison.Letters.Count;
        }
    }
}
