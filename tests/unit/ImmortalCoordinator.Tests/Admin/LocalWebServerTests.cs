using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

public sealed class LocalWebServerTests
{
    [Theory]
    [InlineData("Microsoft.AspNetCore.Server.Kestrel")]
    [InlineData("Microsoft.AspNetCore.Server.Kestrel.Connections")]
    [InlineData("Microsoft.Extensions.Hosting.Internal.Host")]
    public async Task Warnings_of_the_framework_do_not_reach_the_log_and_its_errors_do(string category)
    {
        using var log = new KeptLog();
        await using LocalWebServer server = await LocalWebServer.StartAsync(
            EndPointName.Tcp("127.0.0.1", 0), "--admin", static _ => Task.CompletedTask, TimeProvider.System, log, default);
        ILogger framework = server.Framework.CreateLogger(category);
        Assert.False(framework.IsEnabled(LogLevel.Warning)); // Such as: the heartbeat has been running for 00:00:02.
        Assert.True(framework.IsEnabled(LogLevel.Error));
    }
}
