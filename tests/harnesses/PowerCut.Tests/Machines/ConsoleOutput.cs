using Xunit.Abstractions;

namespace Ambrosia.PowerCut.Tests.Machines;

/// <summary>What a test would print, printed by the worker.</summary>
internal sealed class ConsoleOutput : ITestOutputHelper
{
    public void WriteLine(string message) => Console.WriteLine(message);

    public void WriteLine(string format, params object[] args) => Console.WriteLine(format, args);
}
