namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>Choices drawn from a seed.</summary>
internal sealed class DrawnChoices(Random random) : IChoices
{
    public int Next(int options) => random.Next(options);

    public int Draw(int below) => random.Next(below);
}
