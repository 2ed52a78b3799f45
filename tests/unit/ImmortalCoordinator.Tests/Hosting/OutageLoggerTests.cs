using Ambrosia.Coordinator.Context;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>A store that does not answer for minutes gets a line every few seconds, and no more.</summary>
public sealed class OutageLoggerTests : IDisposable
{
    private readonly LogLines _lines = new();
    private readonly AlarmClock _clock = new();
    private readonly OutageLogger _logger;

    public OutageLoggerTests() => _logger = new OutageLogger(_lines, _clock);

    public void Dispose() => _logger.Dispose();

    [Theory]
    [InlineData(2100)]
    [InlineData(2102)]
    public void The_warnings_of_an_outage_are_one_line_at_once_and_then_one_with_their_number_every_few_seconds(int id)
    {
        for (int i = 1; i <= 20; i++)
        {
            Warn(id, "postgres://db", i);
        }

        Assert.Equal($"{id} postgres://db: attempt 1", Assert.Single(_lines.All));
        _clock.Ring();
        Assert.Equal("1104 19 further lines like this one were left out within 5 s: postgres://db: attempt 20", _lines.All[^1]);
        Warn(id, "postgres://db", 21);
        Warn(id, "postgres://db", 22);
        _clock.Ring();
        Assert.Equal("1104 2 further lines like this one were left out within 5 s: postgres://db: attempt 22", _lines.All[^1]);
        Assert.Equal(3, _lines.All.Length);
    }

    [Fact]
    public void Each_store_and_each_cause_has_lines_of_its_own_and_other_lines_go_by()
    {
        Warn(2100, "postgres://db", 1);
        Warn(2102, "postgres://db", 1);
        Warn(2102, "azblob://account", 1);
        CoreLog.CatalogFailed(_logger, "bank", "it does not answer");
        CoreLog.CatalogFailed(_logger, "bank", "it does not answer");
        Warn(2103, "postgres://db", 1);
        Warn(2103, "postgres://db", 2);
        Assert.Equal(6, _lines.All.Length);
    }

    [Fact]
    public void What_was_left_out_is_told_at_the_end()
    {
        Warn(2102, "postgres://db", 1);
        Warn(2102, "postgres://db", 2);
        _logger.Dispose();
        Assert.StartsWith("1104 1 further", _lines.All[^1], StringComparison.Ordinal);
    }

    private void Warn(int id, string location, int attempt) => _logger.Log<IReadOnlyList<KeyValuePair<string, object?>>>(
        LogLevel.Warning, new EventId(id), [new("Location", location), new("Attempt", attempt)], null, static (state, _) =>
            $"{state[0].Value}: attempt {state[1].Value}");
}
