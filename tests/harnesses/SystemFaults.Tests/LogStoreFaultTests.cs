using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SystemFaults.Tests.Shim;
using Xunit.Abstractions;

namespace Ambrosia.SystemFaults.Tests;

/// <summary>
/// Every system call of the log store fails in every way it can: it goes on, or stops with a code; nothing confirmed is lost.
/// </summary>
public sealed class LogStoreFaultTests(ITestOutputHelper output)
{
    [Fact]
    public Task Every_failing_call_of_the_log_store_is_survived_or_ends_it_with_its_code_and_loses_nothing()
    {
        FaultShim.Build();
        return Worker.RunAsync("SystemFaults", "log", mounts: false, output, FaultShim.Path);
    }
}
