using System.Reflection;
using System.Runtime.ExceptionServices;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>A storage whose segments are exactly as long as their records, as those of services are.</summary>
public class ExactStorage : DispatchProxy
{
    private ILogStorage? _inner;

    public static ILogStorage Over(ILogStorage inner)
    {
        ILogStorage storage = Create<ILogStorage, ExactStorage>();
        ((ExactStorage)(object)storage)._inner = inner;
        return storage;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        try
        {
            return targetMethod!.Name == $"get_{nameof(ILogStorage.HasExactEnds)}" ? true : targetMethod.Invoke(_inner, args);
        }
        catch (TargetInvocationException error) when (error.InnerException is { } inner)
        {
            ExceptionDispatchInfo.Throw(inner);
            throw;
        }
    }
}
