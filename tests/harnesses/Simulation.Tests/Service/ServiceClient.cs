using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Simulation.Tests;

/// <summary>One process's way to its service: asks again while no answer comes.</summary>
internal sealed class ServiceClient(LogService service, ServiceAccess access, TimeSpan lease, LogStoreEnvironment environment)
{
    private readonly TimeSpan _patience = 2 * lease;

    /// <summary>How long an answer is waited for.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(300);

    public LogStoreEnvironment Environment => environment;

    public TimeSpan Lease => lease;

    /// <summary>Whether this process can know that the one of this name is dead: else its lease is waited for.</summary>
    public bool IsKnownDead(string process) => access.IsKnownDead(process);

    /// <summary>This process is dead.</summary>
    public bool HasEnded => !access.IsAlive(environment.ProcessName);

    /// <summary>Asks for what may be done twice.</summary>
    /// <exception cref="StoreUnavailableException">No answer came, however often it was asked.</exception>
    public async ValueTask<T> AskAsync<T>(Func<LogService, T> act, CancellationToken cancellationToken = default)
    {
        var retry = new ServiceRetry(environment, "service", _patience);
        while (true)
        {
            try
            {
                return await access.Wire.Send(() => act(service)).WaitAsync(s_timeout, environment.Time, cancellationToken);
            }
            catch (TimeoutException late)
            {
                await retry.PauseAsync(late, cancellationToken);
            }
        }
    }

    /// <summary>Asks once, and waits for as long as its caller does.</summary>
    /// <exception cref="StoreUnavailableException">It is refused for now.</exception>
    public async ValueTask<T> AskOnceAsync<T>(Func<LogService, T> act, CancellationToken cancellationToken)
    {
        try
        {
            return await access.Wire.Send(() => act(service)).WaitAsync(cancellationToken);
        }
        catch (TimeoutException refused)
        {
            throw new StoreUnavailableException(refused.Message, "service", refused);
        }
    }

    /// <summary>As <see cref="AskAsync"/>, for what has no answer but that it was done.</summary>
    public async ValueTask TellAsync(Action<LogService> act) => await AskAsync(service =>
    {
        act(service);
        return true;
    });

    /// <summary>This process holds a lease from now on, as far as it knows.</summary>
    public void Granted(ServiceLease granted) => service.Granted(granted);

    public ServiceKind Kind => service.Kind;
}
