using System.Runtime.InteropServices;

namespace Ambrosia.Cli.Running;

/// <summary>While it lives, Ctrl+C, SIGTERM and the end of the terminal do something else than end this process.</summary>
internal sealed class StopSignals : IDisposable
{
    private readonly PosixSignalRegistration[] _registrations;

    /// <summary>Begins.</summary>
    /// <param name="act">Called at each signal.</param>
    public StopSignals(Action act)
    {
        _registrations =
        [
            PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal), PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal),
            PosixSignalRegistration.Create(PosixSignal.SIGHUP, OnSignal),
        ];

        void OnSignal(PosixSignalContext signal)
        {
            signal.Cancel = true;
            act();
        }
    }

    public void Dispose() => Array.ForEach(_registrations, static registration => registration.Dispose());
}
