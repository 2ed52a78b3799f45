namespace Ambrosia.Client;

/// <summary>One part of what an application says of its client.</summary>
internal sealed record ClientSetup(Action<IServiceProvider, AmbrosiaClientOptions> Configure);
