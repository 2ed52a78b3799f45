using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Runtime;

/// <summary>
/// The objects that perform effects: made once by what the app registered and disposed of when the app ends, or a service of the host, in a
/// scope for each attempt. Called by several threads.
/// </summary>
internal sealed class EffectPerformers(
    IReadOnlyDictionary<Type, Func<IServiceProvider, object>> registered, IServiceProvider? services, TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);
    private readonly object _gate = new();
    private readonly Dictionary<Type, object> _made = [];
    private TaskCompletionSource? _unused;
    private int _used;

    /// <summary>Nothing performs anything.</summary>
    public static EffectPerformers None { get; } =
        new(new Dictionary<Type, Func<IServiceProvider, object>>(), null, TimeProvider.System, NullLogger.Instance);

    /// <summary>True if something can be asked for it: it may still be that it cannot be made.</summary>
    public bool Has(Type type)
    {
        if (registered.ContainsKey(type))
        {
            return true;
        }

        if (services?.GetService(typeof(IServiceProviderIsService)) is IServiceProviderIsService known)
        {
            return known.IsService(type);
        }

        return services is not null; // Another container, which cannot be asked without making the object.
    }

    /// <summary>What performs an effect of the interface.</summary>
    /// <exception cref="MissingPerformerException">Nothing does, or it cannot be made.</exception>
    public PerformerLease Take(EffectContract contract)
    {
        AsyncServiceScope? scope = null;
        try
        {
            if (registered.TryGetValue(contract.InterfaceType, out Func<IServiceProvider, object>? create))
            {
                return Lend(new PerformerLease(MadeBy(contract.InterfaceType, create), null));
            }

            scope = (services?.GetService(typeof(IServiceScopeFactory)) as IServiceScopeFactory)?.CreateAsyncScope();
            if (scope?.ServiceProvider.GetService(contract.InterfaceType) is { } service)
            {
                return Lend(new PerformerLease(service, scope));
            }
        }
        catch (Exception error)
        {
            _ = EndAsync(scope);
            throw new MissingPerformerException(contract.InterfaceName, error);
        }

        _ = EndAsync(scope);
        throw new MissingPerformerException(contract.InterfaceName);
    }

    /// <summary>What an attempt was given lives as long as the attempt runs, however long that is.</summary>
    public async Task GiveBackAsync(PerformerLease lease, Task performing)
    {
        // The waiter knows.
        await performing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        await EndAsync(lease.Scope);
        TaskCompletionSource? unused = null;
        lock (_gate)
        {
            if (--_used == 0)
            {
                (unused, _unused) = (_unused, null);
            }
        }

        unused?.SetResult();
    }

    /// <summary>
    /// The app ends: what was made for it is disposed of, after the attempts that still use it, unless those do not listen to their token.
    /// </summary>
    public async ValueTask EndAsync()
    {
        Task unused = Task.CompletedTask;
        lock (_gate)
        {
            if (_used > 0)
            {
                _unused ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                unused = _unused.Task;
            }
        }

        await Task.WhenAny(unused, Task.Delay(unused.IsCompleted ? TimeSpan.Zero : s_patience, time));
        object[] made;
        lock (_made)
        {
            made = [.. _made.Values];
            _made.Clear();
        }

        foreach (object performer in made)
        {
            await DisposeAsync(performer);
        }
    }

    private async Task DisposeAsync(object performer)
    {
        try
        {
            if (performer is IAsyncDisposable asynchronous)
            {
                await asynchronous.DisposeAsync();
            }
            else
            {
                (performer as IDisposable)?.Dispose();
            }
        }
        catch (Exception error)
        {
            BindingLog.PerformerNotDisposed(logger, performer.GetType().Name, error);
        }
    }

    private object MadeBy(Type type, Func<IServiceProvider, object> create)
    {
        lock (_made)
        {
            if (!_made.TryGetValue(type, out object? performer))
            {
                _made[type] = performer = create(services ?? NoServices.Instance);
            }

            return performer;
        }
    }

    private PerformerLease Lend(PerformerLease lease)
    {
        lock (_gate)
        {
            _used++;
        }

        return lease;
    }

    // That a scope cannot be disposed of says nothing about what was performed.
    private async Task EndAsync(AsyncServiceScope? scope)
    {
        try
        {
            await (scope?.DisposeAsync() ?? default);
        }
        catch (Exception error)
        {
            BindingLog.ScopeNotDisposed(logger, error);
        }
    }
}
