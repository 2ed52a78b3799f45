using Ambrosia.LogStore;
using Ambrosia.Shared.Services;

namespace Ambrosia.Simulation.Tests;

/// <summary>One process's way to its service: asks again while no answer comes.</summary>
internal sealed class ServiceClient(LogService service, ServiceWire wire, TimeSpan lease, LogStoreEnvironment environment)
{
    private readonly TimeSpan _patience = 2 * lease;

    /// <summary>How long an answer is waited for.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(300);

    public LogStoreEnvironment Environment => environment;

    public TimeSpan Lease => lease;

    /// <summary>Asks for what may be done twice.</summary>
    /// <exception cref="StoreUnavailableException">No answer came, however often it was asked.</exception>
    public async ValueTask<T> AskAsync<T>(Func<LogService, T> act, CancellationToken cancellationToken = default)
    {
        var retry = new ServiceRetry(environment, "service", _patience);
        while (true)
        {
            try
            {
                return await wire.Send(() => act(service)).WaitAsync(s_timeout, environment.Time, cancellationToken);
            }
            catch (TimeoutException late)
            {
                await retry.PauseAsync(late, cancellationToken);
            }
        }
    }
}
