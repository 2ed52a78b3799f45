using System.Runtime.InteropServices;
using Ambrosia.ImmortalCoordinator.Transport.Sockets;

namespace Ambrosia.ImmortalCoordinator.Hosting;

/// <summary>SIGTERM, SIGINT and SIGHUP ask to stop; a second one ends the process at once, which its log makes safe.</summary>
internal sealed class ProcessSignals : IDisposable
{
    private const int SignalExitBase = 128;

    private readonly PosixSignalRegistration[] _registrations;
    private int _received;

    public ProcessSignals(StopRequest stop) =>
        _registrations =
        [
            Register(PosixSignal.SIGTERM, 15, stop),
            Register(PosixSignal.SIGINT, 2, stop),
            Register(PosixSignal.SIGHUP, 1, stop),
        ];

    public void Dispose() => Array.ForEach(_registrations, static registration => registration.Dispose());

    private PosixSignalRegistration Register(PosixSignal signal, int number, StopRequest stop) => PosixSignalRegistration.Create(signal, context =>
    {
        context.Cancel = true;
        if (Interlocked.Increment(ref _received) == 1)
        {
            stop.Ask($"{signal} was received");
        }
        else
        {
            Posix.ExitNow(SignalExitBase + number);
        }
    });
}
