using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Fate;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

public sealed class CoordinatorHostTests : IDisposable
{
    private readonly MemoryStream _lines = new();
    private readonly CoordinatorOptions _options = new() { InstanceName = "bank" };

    public void Dispose() => _lines.Dispose();

    [Fact]
    public async Task A_core_that_drains_when_asked_ends_the_process_in_order()
    {
        using var stop = new StopRequest();
        var core = new FakeCore(async token => await Task.Delay(Timeout.Infinite, token).ContinueWith(_ => { }, TaskScheduler.Default));
        Task<ExitCode> running = RunAsync(core, stop);
        await core.Started.OrFail();
        Assert.False(running.IsCompleted);
        stop.Ask("somebody said so");
        stop.Ask("somebody else said so too");
        Assert.Equal(ExitCode.Stopped, await running.OrFail());
        Assert.Contains("bank stops because somebody said so\n", Text(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_core_that_does_not_drain_in_time_is_left_behind()
    {
        using var stop = new StopRequest();
        var core = new FakeCore(_ => new TaskCompletionSource().Task);
        Task<ExitCode> running = RunAsync(core, stop);
        await core.Started.OrFail();
        stop.Ask("its owner has ended", TimeSpan.FromMilliseconds(1));
        Assert.Equal(ExitCode.Stopped, await running.OrFail());
        Assert.Contains("nothing acknowledged is lost", Text(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_named_failure_becomes_its_exit_code_and_one_line_without_stack_trace()
    {
        Assert.Equal(ExitCode.AppGone, await FailAsync(new CoordinatorException(ProcessErrors.AppGone, "gone", "here", "safe", "do")));
        Assert.Equal(ExitCode.StoreDamaged, await FailAsync(new LogStoreException(StoreErrors.LogCorrupt, "bad", "there", "rest", "copy")));
        Assert.Equal(ExitCode.Internal, await FailAsync(new InvalidOperationException("oops")));
        string[] lines = Text().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(3, lines.Length);
        Assert.EndsWith("fatal: IC-1030 gone | here | safe | do", lines[0], StringComparison.Ordinal);
        Assert.EndsWith("fatal: IC-2001 bad | there | rest | copy", lines[1], StringComparison.Ordinal);
        Assert.Contains("fatal: IC-1090 mistake in the coordinator: InvalidOperationException: oops |", lines[2], StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_stack_trace_is_there_for_who_asks_for_details()
    {
        await FailAsync(new InvalidOperationException("oops"), LogLevel.Debug);
        Assert.Contains("   at ", Text(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_end_of_the_owner_pipe_asks_to_stop_within_a_second()
    {
        using var stop = new StopRequest();
        var pipe = new Pipe();
        Task watching = OwnerPipe.WatchAsync(pipe.Reader.AsStream(), stop);
        await pipe.Writer.WriteAsync("ignored"u8.ToArray());
        Assert.False(stop.Token.IsCancellationRequested);
        pipe.Writer.Complete();
        await watching.OrFail();
        Assert.True(stop.Token.IsCancellationRequested);
        Assert.True(stop.Limit < TimeSpan.FromSeconds(1));
    }

    [Fact]
    public void Lines_for_machines_are_one_JSON_object_each_with_the_values_by_name()
    {
        using var provider = new LineLoggerProvider(_lines, new JsonLineFormat(), LogLevel.Information, TimeProvider.System);
        ILogger logger = provider.CreateLogger("test");
        CoordinatorLog.DrainTimedOut(logger, "ba\"nk\n", 1.5);
        CoordinatorLog.ConnectionLost(logger, "not", "written"); // Debug level.
        string[] lines = Text().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        using JsonDocument line = JsonDocument.Parse(Assert.Single(lines));
        Assert.Equal("warning", line.RootElement.GetProperty("level").GetString());
        Assert.Equal(1001, line.RootElement.GetProperty("id").GetInt32());
        Assert.Equal("DrainTimedOut", line.RootElement.GetProperty("event").GetString());
        Assert.Equal("ba\"nk\n", line.RootElement.GetProperty("fields").GetProperty("Instance").GetString());
        Assert.Equal(1.5, line.RootElement.GetProperty("fields").GetProperty("Seconds").GetDouble());
    }

    [Fact]
    public void Lines_for_people_are_one_line_each_whatever_the_text_holds()
    {
        using var provider = new LineLoggerProvider(_lines, new TextLineFormat(), LogLevel.Information, TimeProvider.System);
        CoordinatorLog.TooManyConnections(provider.CreateLogger("test"), "a\nb", 3);
        Assert.Matches(@"^\d\d:\d\d:\d\d  warning: Connections at a b exceed 3", Text());
        Assert.Single(Text().Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    private async Task<ExitCode> FailAsync(Exception error, LogLevel least = LogLevel.Information)
    {
        using var stop = new StopRequest();
        return await RunAsync(new FakeCore(_ => throw error), stop, least).OrFail();
    }

    private Task<ExitCode> RunAsync(FakeCore core, StopRequest stop, LogLevel least = LogLevel.Information)
    {
        var provider = new LineLoggerProvider(_lines, new TextLineFormat(), least, TimeProvider.System);
        return new HostedCoordinator(_options, new LogStoreEnvironment(), TimeProvider.System, provider).RunAsync(core, stop);
    }

    private string Text() => Encoding.UTF8.GetString(_lines.ToArray());

    private sealed class FakeCore(Func<CancellationToken, Task> run) : IServedCore
    {
        private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Started => _started.Task;

        public ICoordinatorStatus Status { get; } = new FakeStatus();

        public IOutsideEntrance Outside => throw new NotSupportedException();

        public IAwakeableEntrance Awakeables => throw new NotSupportedException();

        public AppShapes Shapes { get; } = new();

        public Task RunAsync(CancellationToken stop)
        {
            _started.SetResult();
            return run(stop);
        }
    }
}
