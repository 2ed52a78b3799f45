using System.Collections.Concurrent;
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

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scope_that_a_handler_begins_ends_with_its_turn(bool disposes)
    {
        var log = new OpenScopes();
        await using var coordinator = new ScriptedCoordinator(() => new Scoping(disposes)) { Logger = log };
        await coordinator.StartFirstAsync();
        await coordinator.DeliverAsync(Nap(3_600_000), Chance());
        await coordinator.DeliverAsync(Chance());

        Assert.Equal(["nap > counter 2:0 method 4"], log.ScopesOf("before"));
        Assert.Equal(["counter 2:1 method 6", "counter 3:0 method 6"], log.ScopesOf("chance"));
        Assert.Empty(log.Open);
    }

    [Fact]
    public async Task A_handler_that_waits_in_a_scope_is_saved_and_goes_on_after_a_recovery()
    {
        var log = new OpenScopes();
        await using var coordinator = new ScriptedCoordinator(static () => new Scoping(disposes: true)) { Logger = log };
        await coordinator.StartFirstAsync();
        await coordinator.DeliverAsync(Nap(1));
        await coordinator.CheckpointAsync();
        Assert.Empty(coordinator.Declined);
        await coordinator.KillAsync();
        coordinator.Now += TimeSpan.TicksPerSecond;
        await coordinator.RecoverAsync();

        // The timer's impulse is logged by the one that sees it: the recovery, if it came before its end.
        await coordinator.UntilAsync(() => log.ScopesOf("after").Length == 1 || coordinator.Impulses.Count > 0, "the timer");
        await coordinator.SettleAsync();
        await coordinator.UntilAsync(() => log.ScopesOf("after").Length == 1, "end of the nap");
        Assert.EndsWith("(timer)", log.ScopesOf("after")[0], StringComparison.Ordinal);
        Assert.Empty(log.Open);
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

    private static byte[] Nap(int milliseconds) => TestMessage.Call(RpcKind.Fork, 4, (ref MessagePackWriter w) =>
    {
        w.WriteArrayHeader(1);
        w.WriteInt64(milliseconds);
    });

    private sealed class Scoping(bool disposes) : Counter
    {
        public Scoping()
            : this(true)
        {
        }

        public override async DurableTask Nap(int milliseconds)
        {
            IDisposable? scope = Log.BeginScope("nap");
            try
            {
                Log.LogInformation("before");
                await Delay(TimeSpan.FromMilliseconds(milliseconds));
                Log.LogInformation("after");
            }
            finally
            {
                if (disposes)
                {
                    scope?.Dispose();
                }
            }
        }
    }

    /// <summary>Keeps each line with all scopes that were open, the outermost first.</summary>
    private sealed class OpenScopes : ILogger
    {
        private readonly ConcurrentQueue<(string Line, string Scopes)> _lines = new();

        public List<string> Open { get; } = [];

        public string[] ScopesOf(string line) => [.. _lines.Where(each => each.Line == line).Select(static each => each.Scopes)];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull
        {
            Open.Add(state.ToString()!);
            return new End(Open);
        }

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => _lines.Enqueue((formatter(state, exception), string.Join(" > ", Open)));

        private sealed class End(List<string> open) : IDisposable
        {
            public void Dispose() => open.RemoveAt(open.Count - 1);
        }
    }

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
