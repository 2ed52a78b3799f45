using System.Reflection;
using System.Runtime.ExceptionServices;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>Files that behave like a service: what is deleted there is gone for readers, too.</summary>
public class FarStorage : DispatchProxy
{
    private ILogStorage? _inner;

    public static LogStoreEnvironment Environment => new() { Stores = [new Provider()] };

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        try
        {
            return targetMethod!.Name == $"get_{nameof(ILogStorage.IsNear)}" ? false : targetMethod.Invoke(_inner, args);
        }
        catch (TargetInvocationException error) when (error.InnerException is { } inner)
        {
            ExceptionDispatchInfo.Throw(inner);
            throw;
        }
    }

    private sealed class Provider : IStoreProvider
    {
        public string Scheme => "far";

        public string Form => "far:/path";

        public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment)
        {
            ILogStorage storage = Create<ILogStorage, FarStorage>();
            ((FarStorage)(object)storage)._inner = LogStores.Open($"file:{uri["far:".Length..]}", instance, options, environment);
            return storage;
        }

        public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) => throw new NotSupportedException();
    }
}
