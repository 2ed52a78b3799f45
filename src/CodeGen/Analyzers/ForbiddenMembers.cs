using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Members of the libraries that handlers may not use, and what to use instead.</summary>
internal static class ForbiddenMembers
{
    private const string Time = "use LogTime";
    private const string Id = "use NewGuid()";
    private const string Chance = "use Random";
    private const string Span =
        "it is not in the log: only tell it something, in a statement of its own, as in Activity.Current?.SetTag(…);";
    private const string Outside = "do it from BecomingPrimary and send what comes of it as an impulse";
    private const string Effect =
        "let a durable effect do it (docs/guide/effects.md): Effects<…>() of an [EffectInterface]; "
        + "or do it from BecomingPrimary and send what comes of it as an impulse";
    private const string Zone = "it depends on the time zone of the machine: name the zone, TimeZoneInfo.FindSystemTimeZoneById(…)";
    private const string Console = "use Log, which is silent then";
    private const string NoLock = "leave it out: turns are never concurrent, and what other threads find is sent as an impulse";
    private const string Later = "use a DurableTask: This.…Async to do it in a later message, Delay(…) to wait";
    private const string Parallel = "threads belong into BecomingPrimary, and what they find is sent as an impulse";
    private const string Wait = "await a DurableTask instead";

    private static readonly Dictionary<string, ForbiddenMember> s_members = new()
    {
        ["System.DateTime.Now"] = new(HandlerRules.NonDeterministic, Time),
        ["System.DateTime.UtcNow"] = new(HandlerRules.NonDeterministic, Time),
        ["System.DateTime.Today"] = new(HandlerRules.NonDeterministic, Time),
        ["System.DateTimeOffset.Now"] = new(HandlerRules.NonDeterministic, Time),
        ["System.DateTimeOffset.UtcNow"] = new(HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.System"] = new(HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetUtcNow"] = new(HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetLocalNow"] = new(HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetTimestamp"] = new(HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetElapsedTime"] = new(HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.LocalTimeZone"] = new(HandlerRules.NonDeterministic, Zone),
        ["System.TimeZoneInfo.Local"] = new(HandlerRules.NonDeterministic, Zone),
        ["System.DateTime.ToLocalTime"] = new(HandlerRules.NonDeterministic, Zone),
        ["System.DateTimeOffset.ToLocalTime"] = new(HandlerRules.NonDeterministic, Zone),
        ["System.DateTimeOffset.LocalDateTime"] = new(HandlerRules.NonDeterministic, Zone),
        ["System.Environment.TickCount"] = new(HandlerRules.NonDeterministic, Time),
        ["System.Environment.TickCount64"] = new(HandlerRules.NonDeterministic, Time),
        ["System.Guid.NewGuid"] = new(HandlerRules.NonDeterministic, Id),
        ["System.Guid.CreateVersion7"] = new(HandlerRules.NonDeterministic, Id),
        ["System.Random.Shared"] = new(HandlerRules.NonDeterministic, Chance),
        ["System.IO.Path.GetRandomFileName"] = new(HandlerRules.NonDeterministic, Id),
        ["System.IO.Path.GetTempFileName"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Environment.GetEnvironmentVariable"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Environment.GetCommandLineArgs"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Environment.MachineName"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Environment.UserName"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Environment.CurrentDirectory"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Environment.ProcessId"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Environment.CurrentManagedThreadId"] = new(HandlerRules.NonDeterministic, "do not depend on the thread"),
        ["System.Environment.ProcessorCount"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Console.ReadLine"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Console.ReadKey"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Console.Read"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Diagnostics.Activity.Current"] = new(HandlerRules.NonDeterministic, Span) { MayBeTold = true },
        ["System.Diagnostics.ActivityTraceId.CreateRandom"] = new(HandlerRules.NonDeterministic, Id),
        ["System.Diagnostics.ActivitySpanId.CreateRandom"] = new(HandlerRules.NonDeterministic, Id),
        ["System.String.GetHashCode"] = new(HandlerRules.NonDeterministic,
            "hash codes of strings differ from process to process; use a hash of your own"),
        ["System.HashCode.Combine"] = new(HandlerRules.NonDeterministic, "it differs from process to process; use a hash of your own"),
        ["System.HashCode.ToHashCode"] = new(HandlerRules.NonDeterministic, "it differs from process to process; use a hash of your own"),
        ["System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode"] = new(HandlerRules.NonDeterministic,
            "it differs from process to process; give the object a number of its own"),
        ["System.Threading.Tasks.Task.Run"] = new(HandlerRules.LeavesTurn, Later),
        ["System.Threading.Tasks.Task.Delay"] = new(HandlerRules.LeavesTurn, "use Delay(…)"),
        ["System.Threading.Tasks.Task.Yield"] = new(HandlerRules.LeavesTurn, Later),
        ["System.Threading.Tasks.Task.ContinueWith"] = new(HandlerRules.LeavesTurn, Later),
        ["System.Threading.Tasks.TaskFactory.StartNew"] = new(HandlerRules.LeavesTurn, Later),
        ["System.TimeProvider.CreateTimer"] = new(HandlerRules.LeavesTurn, "use await Delay(…)"),
        ["System.Threading.Tasks.Task.Start"] = new(HandlerRules.LeavesTurn, Later),
        ["System.Threading.Thread.Start"] = new(HandlerRules.LeavesTurn, Parallel),
        ["System.Threading.Thread.Sleep"] = new(HandlerRules.Blocks, "use await Delay(…)"),
        ["System.Threading.Thread.Join"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Tasks.Task.Wait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Tasks.Task.WaitAll"] = new(HandlerRules.Blocks, "await DurableTask.WhenAll(…) instead"),
        ["System.Threading.Tasks.Task.WaitAny"] = new(HandlerRules.Blocks, "await DurableTask.WhenAny(…) instead"),
        ["System.Threading.Tasks.Task.Result"] = new(HandlerRules.Blocks, Wait),
        ["System.Runtime.CompilerServices.TaskAwaiter.GetResult"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Tasks.ValueTask.Result"] = new(HandlerRules.Blocks, Wait),
        ["System.Runtime.CompilerServices.ValueTaskAwaiter.GetResult"] = new(HandlerRules.Blocks, Wait),
        ["System.Runtime.CompilerServices.ConfiguredTaskAwaitable.ConfiguredTaskAwaiter.GetResult"] = new(HandlerRules.Blocks, Wait),
        ["System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter.GetResult"] = new(HandlerRules.Blocks,
            Wait),
        ["System.Threading.Tasks.Task.RunSynchronously"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.CountdownEvent.Wait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Barrier.SignalAndWait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.WaitHandle.WaitAll"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.WaitHandle.WaitAny"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.WaitHandle.SignalAndWait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.SpinWait.SpinUntil"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.SpinWait.SpinOnce"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Thread.SpinWait"] = new(HandlerRules.Blocks, Wait),
        ["System.Collections.Concurrent.BlockingCollection.Take"] = new(HandlerRules.Blocks, Wait),
        ["System.Collections.Concurrent.BlockingCollection.GetConsumingEnumerable"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Monitor.Enter"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.Monitor.TryEnter"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.Lock.Enter"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.Lock.EnterScope"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.SpinLock.Enter"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.ReaderWriterLockSlim.EnterReadLock"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.ReaderWriterLockSlim.EnterWriteLock"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.ReaderWriterLockSlim.EnterUpgradeableReadLock"] = new(HandlerRules.Blocks, NoLock),
        ["System.Threading.WaitHandle.WaitOne"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.SemaphoreSlim.Wait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.Monitor.Wait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.ManualResetEventSlim.Wait"] = new(HandlerRules.Blocks, Wait),
        ["System.Threading.AsyncLocal.Value"] = new(HandlerRules.AmbientState, ""),
        ["System.Threading.ThreadLocal.Value"] = new(HandlerRules.AmbientState, ""),
    };

    private static readonly Dictionary<string, ForbiddenMember> s_types = new()
    {
        ["System.Diagnostics.Stopwatch"] = new(HandlerRules.NonDeterministic, Time),
        ["System.Diagnostics.Process"] = new(HandlerRules.NonDeterministic, Outside),
        ["System.Security.Cryptography.RandomNumberGenerator"] = new(HandlerRules.NonDeterministic, Chance),
        ["System.IO.File"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.IO.Directory"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Http.HttpClient"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Sockets.Socket"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Sockets.TcpClient"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Dns"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.IO.FileInfo"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.IO.DirectoryInfo"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.IO.FileStream"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.IO.FileSystemWatcher"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.IO.RandomAccess"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Http.HttpMessageInvoker"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Http.Json.HttpClientJsonExtensions"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.WebClient"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.WebRequest"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.HttpListener"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Sockets.UdpClient"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Sockets.TcpListener"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Sockets.NetworkStream"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.WebSockets.WebSocket"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.Mail.SmtpClient"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Net.NetworkInformation.Ping"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Data.Common.DbConnection"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Data.Common.DbCommand"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Data.Common.DbDataReader"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Data.IDbConnection"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Data.IDbCommand"] = new(HandlerRules.NonDeterministic, Effect),
        ["System.Console"] = new(HandlerRules.Repeats, Console),
        ["System.Threading.ThreadPool"] = new(HandlerRules.LeavesTurn, Parallel),
        ["System.Threading.Tasks.Parallel"] = new(HandlerRules.LeavesTurn, Parallel),
    };

    private static readonly Dictionary<string, ForbiddenMember> s_constructors = new()
    {
        ["System.Threading.Thread"] = new(HandlerRules.LeavesTurn, Parallel),
        ["System.Threading.Timer"] = new(HandlerRules.LeavesTurn, "use await Delay(…)"),
        ["System.Timers.Timer"] = new(HandlerRules.LeavesTurn, "use await Delay(…)"),
        ["System.Threading.PeriodicTimer"] = new(HandlerRules.LeavesTurn, "use await Delay(…)"),
    };

    // What these read and write is a file only if they are given its name.
    private static readonly HashSet<string> s_openers = ["System.IO.StreamReader", "System.IO.StreamWriter"];

    /// <summary>The rule that a use of the member breaks, and what to do instead; null if it may be used.</summary>
    public static ForbiddenMember? Find(ISymbol member)
    {
        if (member.ContainingType is not { } type)
        {
            return null;
        }

        string owner = ImmortalTypes.FullName(type);
        if (member is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor)
        {
            return owner == "System.Random" ? (constructor.Parameters.IsEmpty ? new(HandlerRules.NonDeterministic, Chance) : null)
                : s_openers.Contains(owner) && constructor.Parameters[0].Type.SpecialType == SpecialType.System_String
                    ? new(HandlerRules.NonDeterministic, Effect)
                : In(s_constructors, owner) ?? OfType(type);
        }

        return In(s_members, owner + "." + member.Name) ?? OfType(type);
    }

    // Also of a class that derives from it: a database's own command is one, wherever its methods are declared.
    private static ForbiddenMember? OfType(INamedTypeSymbol type)
    {
        for (INamedTypeSymbol? walk = type; walk is not null; walk = walk.BaseType)
        {
            if (In(s_types, ImmortalTypes.FullName(walk)) is { } found)
            {
                return found;
            }
        }

        return null;
    }

    private static ForbiddenMember? In(Dictionary<string, ForbiddenMember> table, string key) =>
        table.TryGetValue(key, out ForbiddenMember? found) ? found : null;
}
