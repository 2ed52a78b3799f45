using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Members of the libraries that handlers may not use, and what to use instead.</summary>
internal static class ForbiddenMembers
{
    private const string Time = "use LogTime";
    private const string Id = "use NewGuid()";
    private const string Chance = "use Random";
    private const string Outside = "do it from BecomingPrimary and send what comes of it as an impulse";
    private const string Later = "use a DurableTask: This.…Async to do it in a later message, Delay(…) to wait";
    private const string Parallel = "threads belong into BecomingPrimary, and what they find is sent as an impulse";
    private const string Wait = "await a DurableTask instead";

    private static readonly Dictionary<string, (DiagnosticDescriptor Rule, string Advice)> s_members = new()
    {
        ["System.DateTime.Now"] = (HandlerRules.NonDeterministic, Time),
        ["System.DateTime.UtcNow"] = (HandlerRules.NonDeterministic, Time),
        ["System.DateTime.Today"] = (HandlerRules.NonDeterministic, Time),
        ["System.DateTimeOffset.Now"] = (HandlerRules.NonDeterministic, Time),
        ["System.DateTimeOffset.UtcNow"] = (HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.System"] = (HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetUtcNow"] = (HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetLocalNow"] = (HandlerRules.NonDeterministic, Time),
        ["System.TimeProvider.GetTimestamp"] = (HandlerRules.NonDeterministic, Time),
        ["System.Environment.TickCount"] = (HandlerRules.NonDeterministic, Time),
        ["System.Environment.TickCount64"] = (HandlerRules.NonDeterministic, Time),
        ["System.Guid.NewGuid"] = (HandlerRules.NonDeterministic, Id),
        ["System.Guid.CreateVersion7"] = (HandlerRules.NonDeterministic, Id),
        ["System.Random.Shared"] = (HandlerRules.NonDeterministic, Chance),
        ["System.IO.Path.GetRandomFileName"] = (HandlerRules.NonDeterministic, Id),
        ["System.IO.Path.GetTempFileName"] = (HandlerRules.NonDeterministic, Id),
        ["System.Environment.GetEnvironmentVariable"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Environment.GetCommandLineArgs"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Environment.MachineName"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Environment.ProcessId"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Environment.CurrentManagedThreadId"] = (HandlerRules.NonDeterministic, "do not depend on the thread"),
        ["System.Environment.ProcessorCount"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Console.ReadLine"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Console.ReadKey"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Console.Read"] = (HandlerRules.NonDeterministic, Outside),
        ["System.String.GetHashCode"] = (HandlerRules.NonDeterministic, "hash codes of strings differ from process to process; use a hash of your own"),
        ["System.HashCode.Combine"] = (HandlerRules.NonDeterministic, "it differs from process to process; use a hash of your own"),
        ["System.HashCode.ToHashCode"] = (HandlerRules.NonDeterministic, "it differs from process to process; use a hash of your own"),
        ["System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode"] = (HandlerRules.NonDeterministic, "it differs from process to process; give the object a number of its own"),
        ["System.Threading.Tasks.Task.Run"] = (HandlerRules.LeavesTurn, Later),
        ["System.Threading.Tasks.Task.Delay"] = (HandlerRules.LeavesTurn, "use Delay(…)"),
        ["System.Threading.Tasks.Task.Yield"] = (HandlerRules.LeavesTurn, Later),
        ["System.Threading.Tasks.Task.ContinueWith"] = (HandlerRules.LeavesTurn, Later),
        ["System.Threading.Tasks.TaskFactory.StartNew"] = (HandlerRules.LeavesTurn, Later),
        ["System.Threading.Thread.Start"] = (HandlerRules.LeavesTurn, Parallel),
        ["System.Threading.Thread.Sleep"] = (HandlerRules.Blocks, "use await Delay(…)"),
        ["System.Threading.Thread.Join"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.Tasks.Task.Wait"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.Tasks.Task.WaitAll"] = (HandlerRules.Blocks, "await DurableTask.WhenAll(…) instead"),
        ["System.Threading.Tasks.Task.WaitAny"] = (HandlerRules.Blocks, "await DurableTask.WhenAny(…) instead"),
        ["System.Threading.Tasks.Task.Result"] = (HandlerRules.Blocks, Wait),
        ["System.Runtime.CompilerServices.TaskAwaiter.GetResult"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.WaitHandle.WaitOne"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.SemaphoreSlim.Wait"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.Monitor.Wait"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.ManualResetEventSlim.Wait"] = (HandlerRules.Blocks, Wait),
        ["System.Threading.AsyncLocal.Value"] = (HandlerRules.AmbientState, ""),
        ["System.Threading.ThreadLocal.Value"] = (HandlerRules.AmbientState, ""),
    };

    private static readonly Dictionary<string, (DiagnosticDescriptor Rule, string Advice)> s_types = new()
    {
        ["System.Diagnostics.Stopwatch"] = (HandlerRules.NonDeterministic, Time),
        ["System.Diagnostics.Process"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Security.Cryptography.RandomNumberGenerator"] = (HandlerRules.NonDeterministic, Chance),
        ["System.IO.File"] = (HandlerRules.NonDeterministic, Outside),
        ["System.IO.Directory"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Net.Http.HttpClient"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Net.Sockets.Socket"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Net.Sockets.TcpClient"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Net.Dns"] = (HandlerRules.NonDeterministic, Outside),
        ["System.Threading.ThreadPool"] = (HandlerRules.LeavesTurn, Parallel),
        ["System.Threading.Tasks.Parallel"] = (HandlerRules.LeavesTurn, Parallel),
    };

    private static readonly Dictionary<string, (DiagnosticDescriptor Rule, string Advice)> s_constructors = new()
    {
        ["System.Threading.Thread"] = (HandlerRules.LeavesTurn, Parallel),
        ["System.Threading.Timer"] = (HandlerRules.LeavesTurn, "use await Delay(…)"),
        ["System.Timers.Timer"] = (HandlerRules.LeavesTurn, "use await Delay(…)"),
        ["System.Threading.PeriodicTimer"] = (HandlerRules.LeavesTurn, "use await Delay(…)"),
    };

    /// <summary>The rule that a use of the member breaks, and what to do instead; null if it may be used.</summary>
    public static (DiagnosticDescriptor Rule, string Advice)? Find(ISymbol member)
    {
        if (member.ContainingType is not { } type)
        {
            return null;
        }

        string owner = ImmortalTypes.FullName(type);
        if (member is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor)
        {
            return owner == "System.Random" && constructor.Parameters.IsEmpty ? (HandlerRules.NonDeterministic, Chance) : In(s_constructors, owner) ?? In(s_types, owner);
        }

        return In(s_members, owner + "." + member.Name) ?? In(s_types, owner);
    }

    private static (DiagnosticDescriptor Rule, string Advice)? In(Dictionary<string, (DiagnosticDescriptor Rule, string Advice)> table, string key) =>
        table.TryGetValue(key, out (DiagnosticDescriptor Rule, string Advice) found) ? found : null;
}
