using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>Serves apps that attach beside the one that serves, to take its place.</summary>
internal interface ISuccessors
{
    /// <summary>Whether one is there.</summary>
    bool Any { get; }

    /// <summary>Whether one converts its state for the place: then nobody else may come and execute what lies behind.</summary>
    bool Converts { get; }

    /// <summary>Whether one has the place for good, whatever becomes of the app that serves.</summary>
    bool Commits { get; }

    /// <summary>Serves such an app to its end.</summary>
    Task ServeAsync(IConnection connection, BindingHello hello, AppSession serving);

    /// <summary>The coordinator stops: completes when none is there.</summary>
    Task StopAsync();
}
