using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Says which types certainly cannot be saved. What it does not know it lets pass: the runtime has the last word, and names the path.
/// </summary>
internal static class Savability
{
    private static readonly (string Type, string Reason)[] s_bases =
    [
        ("System.IO.Stream", "a stream is a handle of this process"),
        ("System.IO.TextReader", "a reader is a handle of this process"),
        ("System.IO.TextWriter", "a writer is a handle of this process"),
        ("System.IO.FileSystemInfo", "files are another machine's on another machine; keep the path"),
        ("System.Threading.Tasks.Task", "a task belongs to this process; use a DurableTask"),
        ("System.Threading.Tasks.ValueTask", "a task belongs to this process; use a DurableTask"),
        ("System.Threading.Tasks.TaskCompletionSource", "a task belongs to this process; use a DurableCompletion"),
        ("System.Threading.Thread", "a thread belongs to this process"),
        ("System.Threading.Timer", "a timer belongs to this process; use Delay(…)"),
        ("System.Timers.Timer", "a timer belongs to this process; use Delay(…)"),
        ("System.Threading.PeriodicTimer", "a timer belongs to this process; use Delay(…)"),
        ("System.Threading.CancellationTokenSource", "a cancellation source belongs to this process; use a DurableCancellation"),
        ("System.Threading.CancellationToken", "a cancellation token belongs to this process; use a DurableCancellation"),
        ("System.Threading.SemaphoreSlim", "a lock belongs to this process, and handlers do not need one"),
        ("System.Threading.WaitHandle", "a lock belongs to this process, and handlers do not need one"),
        ("System.Threading.AsyncLocal", "it flows with the thread"),
        ("System.Threading.ThreadLocal", "it flows with the thread"),
        ("System.Lazy", "it holds code; compute the value, or compute it when asked"),
        ("System.Random", "its state is hidden; use the immortal's Random at once, where it is needed"),
        ("System.Diagnostics.Stopwatch", "it measures this machine's time; keep LogTime"),
        ("System.Diagnostics.Process", "a process is a handle of this machine"),
        ("System.Net.Http.HttpMessageInvoker", "a connection belongs to this process"),
        ("System.Net.Sockets.Socket", "a connection belongs to this process"),
        ("System.Net.Sockets.TcpClient", "a connection belongs to this process"),
        ("System.Data.Common.DbConnection", "a connection belongs to this process"),
        ("System.IServiceProvider", "services belong to this process"),
        ("Microsoft.Extensions.Logging.ILogger", "a logger belongs to this process; use Log"),
        ("System.Text.Json.JsonDocument", "it lives in memory that it rents; keep the text, or what you read from it"),
        ("System.Text.Json.JsonElement", "it points into a JsonDocument; keep its text, or what you read from it"),
        ("System.Text.Json.JsonProperty", "it points into a JsonDocument; keep its text, or what you read from it"),
        ("System.Collections.Concurrent.ConcurrentDictionary", "turns are never concurrent, so a Dictionary does"),
        ("System.Collections.Concurrent.ConcurrentQueue", "turns are never concurrent, so a Queue does"),
        ("System.Collections.Concurrent.ConcurrentStack", "turns are never concurrent, so a Stack does"),
        ("System.Collections.Concurrent.ConcurrentBag", "turns are never concurrent, so a List does"),
        ("System.Collections.Concurrent.BlockingCollection", "turns are never concurrent, so a Queue does"),
        ("System.Threading.Channels.Channel", "a channel belongs to this process; keep a Queue, or send messages"),
        ("System.Threading.Channels.ChannelReader", "a channel belongs to this process; keep a Queue, or send messages"),
        ("System.Threading.Channels.ChannelWriter", "a channel belongs to this process; keep a Queue, or send messages"),
        ("Ambrosia.ImmortalContext", "it belongs to one leadership of this process"),
    ];

    /// <summary>Why a value of the type cannot be saved, with the path to what cannot; null if it may well be.</summary>
    public static string? Reason(ITypeSymbol type) => Reason(type, []);

    private static string? Reason(ITypeSymbol type, HashSet<string> seen)
    {
        if (type is IArrayTypeSymbol array)
        {
            return Reason(array.ElementType, seen);
        }

        if (type.TypeKind == TypeKind.Delegate)
        {
            return $"{type.Name} is a delegate, which holds code";
        }

        if (type.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer)
        {
            return "it is a pointer";
        }

        foreach ((string name, string reason) in s_bases)
        {
            if (ImmortalTypes.DerivesFrom(type, name))
            {
                return $"{type.Name} cannot: {reason}";
            }
        }

        if (type.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr || type is { IsRefLikeType: true })
        {
            return "it refers to memory of this process";
        }

        // Enumerators of libraries as well, which keep positions in private fields that nobody promises.
        if (PlatformTypes.IsUnsavable(type))
        {
            return $"{type.Name} cannot: only some classes of .NET can, and this is none of them; "
                + "keep what it stands for in types of your own";
        }

        if (PlatformTypes.BaseWithState(type) is { } level)
        {
            return $"{type.Name} cannot: it derives from {level.Name}, whose state cannot be read; hold one in a field instead";
        }

        if (type is INamedTypeSymbol named && seen.Add(type.ToDisplayString()))
        {
            return named.TypeArguments.Select(argument => Reason(argument, seen)).FirstOrDefault(static r => r is not null)
                ?? OfMembers(named, seen);
        }

        return null;
    }

    private static string? OfMembers(INamedTypeSymbol type, HashSet<string> seen)
    {
        if (!type.Locations.Any(static l => l.IsInSource) || ImmortalTypes.IsProxy(type) || ImmortalTypes.IsImmortal(type))
        {
            return null;
        }

        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>().Where(static f => IsState(f)))
        {
            if (Reason(field.Type, seen) is { } reason)
            {
                return $"in {type.Name}.{field.AssociatedSymbol?.Name ?? field.Name}, {reason}";
            }
        }

        return null;
    }

    /// <summary>Whether a field is saved.</summary>
    public static bool IsState(IFieldSymbol field)
    {
        return !field.IsStatic && !field.IsConst && !IsExcluded(field)
            && (field.AssociatedSymbol is null || !IsExcluded(field.AssociatedSymbol));

        static bool IsExcluded(ISymbol symbol) =>
            symbol.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString() == "Ambrosia.NotSavedAttribute");
    }
}
