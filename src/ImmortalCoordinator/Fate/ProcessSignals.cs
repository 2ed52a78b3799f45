using System.Runtime.InteropServices;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost;

namespace Ambrosia.ImmortalCoordinator.Fate;

/// <summary>
/// SIGTERM, SIGINT and SIGHUP ask to stop; one more, later, ends the process at once, which its log makes safe. "Later", because some
/// senders (timeout(1), a terminal and its shell) deliver one wish twice in a row.
/// </summary>
internal sealed class ProcessSignals : IDisposable
{
    private const int SignalExitBase = 128;
    private static readonly TimeSpan s_sameWish = TimeSpan.FromMilliseconds(500);

    private readonly PosixSignalRegistration[] _registrations;
    private readonly TimeProvider _time;
    private readonly object _gate = new();
    private long? _first;

    public ProcessSignals(StopRequest stop, TimeProvider time, bool leavesInterruptsToOwner)
    {
        _time = time;
        _registrations =
        [
            Register(PosixSignal.SIGTERM, 15, stop),
            leavesInterruptsToOwner
                ? PosixSignalRegistration.Create(PosixSignal.SIGINT, static context => context.Cancel = true)
                : Register(PosixSignal.SIGINT, 2, stop),
            Register(PosixSignal.SIGHUP, 1, stop),
        ];
    }

    public void Dispose() => Array.ForEach(_registrations, static registration => registration.Dispose());

    private PosixSignalRegistration Register(
        PosixSignal signal, int number, StopRequest stop) => PosixSignalRegistration.Create(signal, context =>
    {
        context.Cancel = true;
        stop.Ask($"{signal} was received");
        lock (_gate)
        {
            _first ??= _time.GetTimestamp();
            if (_time.GetElapsedTime(_first.Value) > s_sameWish)
            {
                ProcessCalls.End(SignalExitBase + number);
            }
        }
    });
}
