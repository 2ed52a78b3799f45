using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;
using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>What handlers log stands in the scope of its message.</summary>
public sealed class LogScopeTests : IAsyncDisposable
{
    private readonly ScopeLogger _log = new();
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    public LogScopeTests() => _coordinator.Logger = _log;

    [Fact]
    public async Task A_line_of_a_handler_names_instance_position_and_method()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Chance(), Chance());
        ulong lsn = _coordinator.Log[^1].Lsn;
        Assert.Equal((string?[])[$"counter {lsn}:0 method 6", $"counter {lsn}:1 method 6"], _log.ScopesOf("chance"));
    }

    [Fact]
    public async Task The_scope_has_names_and_values_for_structured_logs()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Chance());
        Dictionary<string, object?> scope = _log.ScopeOf("chance");
        Assert.Equal(["Index", "Instance", "Lsn", "Method"], scope.Keys.Order());
        Assert.Equal(("counter", (object)_coordinator.Log[^1].Lsn, (object)0, "method 6"), (scope["Instance"], scope["Lsn"], scope["Index"],
            scope["Method"]));
    }

    [Fact]
    public async Task The_failure_of_a_handler_is_logged_in_the_scope_of_its_message()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 5, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(1);
            default(StringFormatter).Write(ref w, "broken");
        }));
        string line = $"The handler of method 5 failed at {_coordinator.Log[^1].Lsn}:0: System";
        Assert.Equal("method 5", _log.ScopeOf(line)["Method"]);
    }

    [Fact]
    public void A_line_costs_no_allocation_where_nobody_keeps_scopes()
    {
        var inner = new Deaf();
        var logger = new ReplaySafeLogger(inner, static () => false, static () => new MessageScope("counter", 4711, 3, "Chance"));
        Write(logger, 1);
        long fewest = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            // The best of some: better code of the same methods may be made on this thread meanwhile, once.
            long before = GC.GetAllocatedBytesForCurrentThread();
            Write(logger, 1000);
            fewest = Math.Min(fewest, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, fewest);
        Assert.Equal((5001, 5001), (inner.Lines, inner.Scopes));
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private static void Write(ReplaySafeLogger logger, int lines)
    {
        for (int i = 0; i < lines; i++)
        {
            logger.Log(LogLevel.Information, default, i, null, static (_, _) => "");
        }
    }

    private static byte[] Chance() => TestMessage.Call(RpcKind.Fork, 6, static (ref MessagePackWriter w) => w.WriteArrayHeader(0));

    /// <summary>Counts lines and has no scopes.</summary>
    private sealed class Deaf : ILogger
    {
        public int Lines { get; private set; }

        public int Scopes { get; private set; }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull
        {
            Scopes++;
            return null;
        }

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => Lines++;
    }
}
