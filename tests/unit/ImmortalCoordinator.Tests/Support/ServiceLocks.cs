using System.Reflection;
using System.Runtime.ExceptionServices;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A memory store whose locks beside the log can be lost, as a service's leases can.</summary>
public class ServiceLocks : DispatchProxy
{
    private readonly Dictionary<string, LosableLease> _leases = [];
    private ILogStorage? _inner;

    /// <summary>An environment with the store <c>service:</c>, over the memory of another.</summary>
    internal static (LogStoreEnvironment Environment, Action<string> Lose) Over(LogStoreEnvironment disk)
    {
        var provider = new Provider();
        var environment = new LogStoreEnvironment { Memory = disk.Memory, Files = disk.Memory, Stores = [provider] };
        return (environment, name => ((ServiceLocks)(object)provider.Last!)._leases[name].Lose());
    }

    /// <summary>Has a coordinator use that store. What lies beside a log elsewhere has folders of its own.</summary>
    internal static void Use(CoordinatorOptions options)
    {
        options.Store = "service:";
        options.Scratch = "/scratch";
        options.DroppedOutputs = "/dropped";
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        try
        {
            return targetMethod!.Name == nameof(ILogStorage.AcquireNamedLeaseAsync)
                ? new ValueTask<ILogLease?>(LosableAsync((string)args![0]!, (bool)args[1]!, (CancellationToken)args[2]!))
                : targetMethod.Invoke(_inner, args);
        }
        catch (TargetInvocationException error) when (error.InnerException is { } inner)
        {
            ExceptionDispatchInfo.Throw(inner);
            throw;
        }
    }

    private async Task<ILogLease?> LosableAsync(string name, bool wait, CancellationToken cancellationToken)
    {
        if (await _inner!.AcquireNamedLeaseAsync(name, wait, cancellationToken) is not { } taken)
        {
            return null;
        }

        return _leases[name] = new LosableLease(taken);
    }

    private sealed class LosableLease(ILogLease inner) : ILogLease
    {
        private readonly CancellationTokenSource _lost = new();

        public string Holder => inner.Holder;

        public CancellationToken Lost => _lost.Token;

        public void Lose() => _lost.Cancel();

        public ValueTask VerifyAsync() =>
            _lost.IsCancellationRequested ? throw new LeaseLostException(LeadershipErrors.Fenced, "the lease ended", "the service")
            : inner.VerifyAsync();

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    private sealed class Provider : IStoreProvider
    {
        public string Scheme => "service";

        public string Form => "service:";

        public ILogStorage? Last { get; private set; }

        public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment)
        {
            Last = Create<ILogStorage, ServiceLocks>();
            ((ServiceLocks)(object)Last)._inner = LogStores.Open("memory:", instance, options, environment);
            return Last;
        }

        public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) => throw new NotSupportedException();
    }
}
