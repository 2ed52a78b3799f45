using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;
using Ambrosia.Telemetry;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>What the meter Ambrosia measures.</summary>
public sealed class CallMetricsTests : IAsyncLifetime, IDisposable
{
    private static int s_names;
    private readonly ConcurrentQueue<(string Instrument, double Value, Dictionary<string, object?> Tags)> _measured = new();
    private readonly string _name = $"measured-{Interlocked.Increment(ref s_names)}";
    private readonly ScriptedCoordinator _coordinator;
    private readonly MeterListener _listener = new();

    public CallMetricsTests()
    {
        _coordinator = new ScriptedCoordinator(static () => new Counter()) { Name = _name };
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Ambrosia")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Keep(instrument, value, tags));
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Keep(instrument, value, tags));
        _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Keep(instrument, value, tags));
        _listener.Start();
    }

    [Fact]
    public async Task A_handled_call_is_measured_by_the_names_of_opentelemetry()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Add(5));
        (double value, Dictionary<string, object?> tags) = Assert.Single(Of("rpc.server.call.duration"), IsOf("Add"));
        Assert.InRange(value, 0, 20);
        Assert.Equal(("ambrosia", "Tests.ICounter/Add"), (tags["rpc.system.name"], tags["rpc.method"]));
        Assert.False(tags.ContainsKey("error.type"));
    }

    [Fact]
    public async Task A_failure_says_of_which_type_it_is()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Async, 7, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(1);
            w.WriteInt64(-1);
        }));
        Assert.Equal("System.InvalidOperationException", Assert.Single(Of("rpc.server.call.duration"), IsOf("Poke")).Tags["error.type"]);
    }

    [Fact]
    public async Task Methods_that_the_interface_does_not_have_are_one_series_whatever_is_sent()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync([.. Enumerable.Range(1000, 5).Select(static id =>
            TestMessage.Call(RpcKind.Async, id, static (ref MessagePackWriter w) => w.WriteArrayHeader(0)))]);
        await _coordinator.DeliverAsync(Add(5));
        string[] methods = [.. Of("rpc.server.call.duration").Select(static each => (string)each.Tags["rpc.method"]!)];
        Assert.Equal(["Tests.ICounter/OnFirstStart", .. Enumerable.Repeat("Tests.ICounter/_OTHER", 5), "Tests.ICounter/Add"], methods);
    }

    [Fact]
    public async Task A_handler_that_waits_is_pending_and_measured_once_it_has_ended()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Async, 2, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(2);
            default(StringFormatter).Write(ref w, "peer");
            w.WriteInt64(5);
        }));
        Assert.DoesNotContain(Of("rpc.server.call.duration"), IsOf("method 2"));
        Assert.Equal(1, Pending("ambrosia.calls.pending"));
        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, 1, [5]));
        Assert.Single(Of("rpc.server.call.duration"), IsOf("method 2"));
        Assert.Equal(0, Pending("ambrosia.calls.pending"));
    }

    [Fact]
    public async Task A_replay_is_counted_as_such_and_measures_no_call()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Add(5), Add(6), Add(7));
        await _coordinator.KillAsync();
        _measured.Clear();
        Assert.Null(PendingOrNone("ambrosia.calls.pending"));

        await _coordinator.RecoverAsync();
        // The app answers the coordinator first, and measures then: nothing that the coordinator hears comes after that.
        using var patience = new CancellationTokenSource(Patience.Time);
        while (Of("ambrosia.recovery.messages").Length == 0 || Of("ambrosia.recovery.duration").Length == 0)
        {
            await Task.Delay(5, patience.Token);
        }

        Assert.Empty(Of("rpc.server.call.duration"));
        Assert.Equal(_coordinator.Log.Sum(static record => record.Count), Assert.Single(Of("ambrosia.recovery.messages")).Value);
        Assert.Single(Of("ambrosia.recovery.duration"));
    }

    [Fact]
    public void A_measurement_costs_no_allocation()
    {
        using var counts = new MeterListener();
        long seen = 0;
        counts.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name == "rpc.server.call.duration")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        counts.SetMeasurementEventCallback<double>((_, _, tags, _) => Interlocked.Add(ref seen, tags.Length));
        _listener.Dispose(); // It keeps what it sees.
        counts.Start();
        BindingMeter.Handled("nobody", "I/M", TimeSpan.Zero, "E");
        long fewest = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 1000; i++)
            {
                BindingMeter.Handled("nobody", "I/M", TimeSpan.Zero, "E");
            }

            fewest = Math.Min(fewest, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, fewest);
        Assert.True(Interlocked.Read(ref seen) >= 4 * 5001);
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _coordinator.DisposeAsync();

    public void Dispose() => _listener.Dispose();

    private static byte[] Add(int amount) => TestMessage.Call(RpcKind.Async, 1, (ref MessagePackWriter w) =>
    {
        w.WriteArrayHeader(1);
        w.WriteInt64(amount);
    });

    private static Predicate<(double Value, Dictionary<string, object?> Tags)> IsOf(string method) =>
        measured => Equals(measured.Tags["rpc.method"], $"Tests.ICounter/{method}");

    private double Pending(string instrument) => PendingOrNone(instrument) ?? throw new InvalidOperationException($"no {instrument}");

    private double? PendingOrNone(string instrument)
    {
        _listener.RecordObservableInstruments();
        return Of(instrument) is [.., (double value, _)] ? value : null;
    }

    // Other tests of this process may run beside these ones; their immortals have other names.
    private (double Value, Dictionary<string, object?> Tags)[] Of(string instrument) =>
        [.. _measured.Where(each => each.Instrument == instrument && Equals(each.Tags["ambrosia.instance"], _name))
            .Select(static each => (each.Value, each.Tags))];

    private void Keep(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        _measured.Enqueue((instrument.Name, value, new Dictionary<string, object?>(tags.ToArray())));
}
