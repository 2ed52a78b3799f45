using Xunit;
using Xunit.Sdk;

namespace Ambrosia.Replay;

/// <summary>
/// A test that runs a log through the present code; the test method takes a <see cref="RetroactiveLog"/>:
/// <c>[RetroactiveTest("logs/bank")] public Task The_bank_does_what_it_did(RetroactiveLog log) => log.Verify&lt;Bank&gt;();</c>
/// A relative folder counts from the test assembly's.
/// </summary>
/// <param name="folder">Folder of the log.</param>
[AttributeUsage(AttributeTargets.Method)]
[XunitTestCaseDiscoverer("Ambrosia.Replay.RetroactiveTestDiscoverer", "Ambrosia.TimeTravel.Xunit")]
public sealed class RetroactiveTestAttribute(string folder) : FactAttribute
{
    /// <summary>Folder of the log.</summary>
    public string Folder => folder;
}
