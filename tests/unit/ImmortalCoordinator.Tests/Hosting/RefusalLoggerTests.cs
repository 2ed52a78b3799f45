using System.Diagnostics.Metrics;
using Ambrosia.Coordinator.Context;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>A client that is refused a thousand times gets a line, then a number.</summary>
public sealed class RefusalLoggerTests : IDisposable
{
    private readonly LogLines _lines = new();
    private readonly AlarmClock _clock = new();
    private readonly RefusalLogger _logger;

    public RefusalLoggerTests() => _logger = new RefusalLogger(_lines, "refusals", _clock);

    public void Dispose() => _logger.Dispose();

    [Fact]
    public void A_thousand_refusals_are_one_line_at_once_and_one_with_their_number_and_the_metric_counts_them_all()
    {
        long counted = 0;
        using var listener = new MeterListener { InstrumentPublished = (instrument, own) =>
            { if (instrument.Name == "ambrosia.refusals") { own.EnableMeasurementEvents(instrument); } } };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            Dictionary<string, object?> named = tags.ToArray().ToDictionary();
            Interlocked.Add(ref counted, named["ambrosia.instance"] as string == "refusals" && named["code"] as string == "IC-4010"
                && named["door"] as string == "peer" ? value : 0);
        });
        listener.Start();
        for (int i = 0; i < 1000; i++)
        {
            Refuse("10.0.0.7", 40_000 + i);
        }

        Assert.Equal("1103 tcp:10.0.0.7:40000 was refused at tcp:0.0.0.0:4100: IC-4010 nobody knows it", Assert.Single(_lines.All));
        _clock.Ring();
        Assert.Equal(2, _lines.All.Length);
        Assert.Equal("1104 999 further lines like this one were left out within 60 s: tcp:10.0.0.7:40999 was refused at tcp:0.0.0.0:4100: "
            + "IC-4010 nobody knows it", _lines.All[1]);
        Assert.Equal(1000, counted);
    }

    [Fact]
    public void Who_comes_again_when_the_minute_is_over_and_was_quiet_gets_a_line_again()
    {
        Refuse("10.0.0.7", 1);
        _clock.Ring();
        Refuse("10.0.0.7", 2);
        Assert.Equal(2, _lines.All.Length);
        Assert.All(_lines.All, static line => Assert.StartsWith("1103 ", line, StringComparison.Ordinal));
    }

    [Fact]
    public void Each_of_several_hosts_and_reasons_has_a_line_of_its_own()
    {
        Refuse("10.0.0.7", 1);
        Refuse("10.0.0.8", 1);
        Refuse("10.0.0.8", 2, "IC-4011");
        CoreLog.PeerRefused(_logger, "shop", "tcp:10.0.0.8:3", "IC-4017", "it is not allowed");
        CoreLog.AppRefused(_logger, "IC-1035", "wrong token");
        Assert.Equal(5, _lines.All.Length);
    }

    [Fact]
    public void Names_that_change_each_time_do_not_make_a_line_each()
    {
        for (int i = 0; i < 1000; i++)
        {
            CoreLog.PeerRefused(_logger, $"name-{i}", "tcp:10.0.0.8:3", "IC-4017", "it is not allowed");
        }

        Assert.InRange(_lines.All.Length, 2, 40);
        _logger.Dispose(); // What was left out is told at the end, too.
        Assert.Contains(_lines.All, static line => line.StartsWith("1104 967 further lines", StringComparison.Ordinal));
    }

    [Fact]
    public void Lines_about_anything_else_go_by()
    {
        CoordinatorLog.Draining(_logger, "bank", "it was asked to");
        CoordinatorLog.Draining(_logger, "bank", "it was asked to");
        Assert.Equal(2, _lines.All.Length);
    }

    private void Refuse(string host, int port, string code = "IC-4010") =>
        CoordinatorLog.HandshakeRefused(_logger, $"tcp:{host}:{port}", "tcp:0.0.0.0:4100", code, "nobody knows it");
}
