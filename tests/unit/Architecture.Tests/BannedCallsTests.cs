using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>
/// The core runs on one thread under a simulator that owns time, randomness and scheduling; one call that goes around it makes a failing
/// seed unrepeatable.
/// </summary>
public sealed class BannedCallsTests
{
    private static readonly BannedCall[] s_banned =
    [
        new("wall clock", "take a TimeProvider", static node =>
            IsMember(node, "DateTime", "Now", "UtcNow", "Today") || IsMember(node, "DateTimeOffset", "Now", "UtcNow")),
        new("tick count", "take a TimeProvider", static node =>
            IsMember(node, "Environment", "TickCount", "TickCount64") || IsMember(node, "Stopwatch", "StartNew", "GetTimestamp")),
        new("randomness", "take a source of randomness", static node =>
            IsMember(node, "Random", "Shared") || IsMember(node, "Guid", "NewGuid") || IsCreation(node, "Random")),
        new("Task.Run", "it leaves the single-threaded context", static node =>
            IsMember(node, "Task", "Run") || IsMember(node, "ThreadPool", "QueueUserWorkItem", "UnsafeQueueUserWorkItem")),
        new("Thread.Sleep", "wait on a TimeProvider", static node => IsMember(node, "Thread", "Sleep", "SpinWait")),
        new("ConfigureAwait(false)", "it leaves the single-threaded context", static node => Is(node, "ConfigureAwait", "false")),
        new("blocking on a task", "await it", static node => IsBlocking(node)),
        new("system timer", "take a TimeProvider", static node =>
            IsCreation(node, "Timer") || IsCreation(node, "PeriodicTimer") || IsDelayWithoutClock(node)),
        new("a sync that hides failure", "call the log store's own fdatasync: .NET's reports success when it failed", static node =>
            Is(node, "Flush", "true") || IsMember(node, "RandomAccess", "FlushToDisk")),
        new("a swallowed exception", "name the type, and say why nothing is to be done", static node => IsSwallowed(node)),
        new("TaskCompletionSource", "its continuations must run asynchronously", static node => IsInlineCompletion(node)),
        new("not implemented", "finish it", static node => IsCreation(node, "NotImplementedException")),
    ];

    // Each with its reason. Nothing that the simulator runs may stand here.
    private static readonly Dictionary<(string Call, string File), string> s_allowed = new()
    {
        [("randomness", "src/ImmortalCoordinator/CoordinatorProcess.cs")] =
            "the one place where the real process chooses its source of randomness",
        [("randomness", "src/InProcess/Testing/Virtual/VirtualLoop.cs")] = "the seeded source from which a test's whole world draws",
        [("randomness", "src/Ambrosia/Running/GatewayVerb.cs")] = "where the command chooses the source for a gateway's pauses",
        [("randomness", "src/Client/Backoff.cs")] = "pauses of an ordinary process, which no two clients should have in step",
        [("wall clock", "src/Client/CallKey.cs")] =
            "a key that a user makes says when it was made; within the client a TimeProvider says it",
        [("ConfigureAwait(false)", "src/Client/AddressChannel.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/AmbrosiaClient.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/AwakeableReply.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/AwakeableSender.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/Hosts.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/HostsInTurn.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Primitives/Sockets/SocketErrorHandler.cs")] = "ordinary processes use it as well",
        [("ConfigureAwait(false)", "src/Client/CallSender.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/CallStream.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/ImmortalClient.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/InstanceChannel.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/QueryWatcher.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/WatchedStream.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("ConfigureAwait(false)", "src/Client/TokenSource.cs")] = "a library of ordinary processes, whose contexts may wait for it",
        [("blocking on a task", "src/CSharpBinding/Durable/WhenAllCell{T}.cs")] =
            "the result of a completed DurableTask; it throws when there is none, and never blocks",
        [("blocking on a task", "src/CSharpBinding/Runtime/IncomingCall.cs")] =
            "the result of a completed DurableTask; it throws when there is none, and never blocks",
        [("blocking on a task", "src/CSharpBinding/Runtime/QueryResult.cs")] =
            "the result of a completed DurableTask; it throws when there is none, and never blocks",
        [("blocking on a task", "src/CSharpBinding/State/StateSelfCheck.cs")] =
            "the result of a completed DurableTask; it throws when there is none, and never blocks",
        [("Task.Run", "src/CSharpBinding/Effects/OutsideTurns.cs")] =
            "effects are ordinary code, performed outside of turns; a simulated app has a context of its own, where they run instead",
        [("a sync that hides failure", "src/LogStore/Files/Managed/ManagedFile.cs")] =
            "made where the system cannot be called; each write has gone through to the device before, and its failure was reported",
        [("not implemented", "src/CSharpBinding/Serialization/ExceptionCodec.cs")] =
            "an exception of the other side, built again by its type",
    };

    [Fact]
    public void No_source_goes_around_the_seams_for_time_randomness_threads_and_syncs()
    {
        string[] found = [.. SourceFile.Sources.SelectMany(Violations)
            .Where(static hit => !s_allowed.ContainsKey((hit.Call.Name, hit.File)))
            .Select(static hit => $"{hit.At}: {hit.Call.Name} ({hit.Call.Instead})")];
        Assert.True(found.Length == 0, string.Join("\n", found));
    }

    [Fact]
    public void An_exception_that_is_no_longer_needed_is_removed_from_the_list()
    {
        HashSet<(string, string)> used = [.. SourceFile.Sources.SelectMany(Violations).Select(static hit => (hit.Call.Name, hit.File))];
        Assert.All(s_allowed.Keys, key => Assert.Contains(key, used));
    }

    [Theory]
    [InlineData("wall clock", "var a = DateTime.UtcNow;")]
    [InlineData("wall clock", "var a = System.DateTimeOffset.Now;")]
    [InlineData("tick count", "var a = Environment.TickCount64;")]
    [InlineData("randomness", "var a = new Random(1);")]
    [InlineData("randomness", "var a = Guid.NewGuid();")]
    [InlineData("Task.Run", "Task.Run(() => 1);")]
    [InlineData("Thread.Sleep", "Thread.Sleep(1);")]
    [InlineData("ConfigureAwait(false)", "await x.ConfigureAwait(false);")]
    [InlineData("blocking on a task", "var a = x.GetAwaiter().GetResult();")]
    [InlineData("blocking on a task", "var a = ReadAsync().Result;")]
    [InlineData("blocking on a task", "ReadAsync().Wait();")]
    [InlineData("system timer", "await Task.Delay(5, token);")]
    [InlineData("system timer", "var t = new Timer(_ => { }, null, 0, 1);")]
    [InlineData("a sync that hides failure", "stream.Flush(true);")]
    [InlineData("a sync that hides failure", "stream.Flush(flushToDisk: true);")]
    [InlineData("a swallowed exception", "try { } catch { }")]
    [InlineData("a swallowed exception", "try { } catch (Exception e) { }")]
    [InlineData("TaskCompletionSource", "var t = new TaskCompletionSource<int>();")]
    [InlineData("not implemented", "throw new NotImplementedException();")]
    public void The_rule_sees_what_it_should(string call, string text) =>
        Assert.Equal([call], Violations(SourceFile.Parse("src/A.cs", text)).Select(static hit => hit.Call.Name).Distinct());

    [Theory]
    [InlineData("await Task.Delay(pause, time, token);")]
    [InlineData("stream.Flush();")]
    [InlineData("// DateTime.Now, Thread.Sleep(1)\nvar a = \"Task.Run\";")]
    [InlineData("try { } catch (IOException) { }")]
    [InlineData("try { } catch (Exception e) { Report(e); }")]
    [InlineData("var t = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);")]
    [InlineData("TaskCompletionSource t = new(TaskCreationOptions.RunContinuationsAsynchronously);")]
    [InlineData("var a = cell.Result;")]
    public void The_rule_leaves_alone_what_is_right(string text) => Assert.Empty(Violations(SourceFile.Parse("src/A.cs", text)));

    private static IEnumerable<(BannedCall Call, string File, string At)> Violations(SourceFile file) =>
        from node in file.Tree.DescendantNodes()
        from call in s_banned
        where call.IsMatch(node)
        select (call, file.Path, file.At(node));

    private static bool IsMember(SyntaxNode node, string type, params string[] members) =>
        node is MemberAccessExpressionSyntax access && members.Contains(access.Name.Identifier.Text)
        && (access.Expression.ToString() == type || access.Expression.ToString().EndsWith("." + type, StringComparison.Ordinal));

    private static bool IsCreation(SyntaxNode node, string type) =>
        node is ObjectCreationExpressionSyntax creation && creation.Type.ToString().Split('.')[^1].Split('<')[0] == type;

    private static bool Is(SyntaxNode node, string method, string argument) =>
        node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax access, ArgumentList.Arguments: [var only] }
        && access.Name.Identifier.Text == method && only.Expression.ToString() == argument;

    private static bool IsBlocking(SyntaxNode node) => node is MemberAccessExpressionSyntax access && access.Name.Identifier.Text switch
    {
        "GetResult" => access.Expression is InvocationExpressionSyntax
            { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "GetAwaiter" } },
        "Result" or "Wait" => LooksLikeTask(access.Expression),
        _ => false,
    };

    private static bool LooksLikeTask(ExpressionSyntax expression) => expression switch
    {
        InvocationExpressionSyntax call => call.Expression.ToString().EndsWith("Async", StringComparison.Ordinal),
        MemberAccessExpressionSyntax access => access.Name.Identifier.Text == "Task",
        IdentifierNameSyntax name => name.Identifier.Text.EndsWith("task", StringComparison.OrdinalIgnoreCase),
        _ => false,
    };

    private static bool IsDelayWithoutClock(SyntaxNode node) =>
        node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax access } call && IsMember(access, "Task", "Delay")
        && !call.ArgumentList.Arguments.Skip(1)
        .Any(static argument => argument.ToString().Contains("time", StringComparison.OrdinalIgnoreCase));

    private static bool IsSwallowed(SyntaxNode node) =>
        node is CatchClauseSyntax clause && clause.Filter is null && clause.Block.Statements.Count == 0
        && (clause.Declaration is null || clause.Declaration.Type.ToString() is "Exception" or "System.Exception");

    private static bool IsInlineCompletion(SyntaxNode node)
    {
        const string Type = "TaskCompletionSource";
        bool isCreation = IsCreation(node, Type)
            || (node is ImplicitObjectCreationExpressionSyntax && DeclaredType(node).StartsWith(Type, StringComparison.Ordinal));
        return isCreation && !((BaseObjectCreationExpressionSyntax)node).ArgumentList!.ToString()
            .Contains("RunContinuationsAsynchronously", StringComparison.Ordinal);
    }

    private static string DeclaredType(SyntaxNode node) =>
        (node.Parent?.Parent?.Parent as VariableDeclarationSyntax)?.Type.ToString()
        ?? (node.Parent?.Parent as PropertyDeclarationSyntax)?.Type.ToString()
        ?? "";
}
