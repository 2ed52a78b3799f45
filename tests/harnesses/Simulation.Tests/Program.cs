namespace Ambrosia.Simulation.Tests;

/// <summary>Runs schedules without a test runner; see docs/internals/testing.md.</summary>
internal static class Program
{
    public static int Main(string[] arguments) => SimCommand.Run(arguments, Console.Out);
}
