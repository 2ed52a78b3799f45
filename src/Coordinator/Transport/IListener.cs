namespace Ambrosia.Coordinator.Transport;

/// <summary>Accepts connections until disposed. Disposing stops accepting; connections handed over stay with their owners.</summary>
public interface IListener : IAsyncDisposable
{
    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    EndPointName EndPoint { get; }

    /// <summary>Ends on dispose. Faults when accepting or a connection's handler failed in a way that is our own mistake.</summary>
    Task Completion { get; }
}
