namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>The choices of one number: counting through the numbers counts through all combinations.</summary>
internal sealed class FixedChoices(long number) : IChoices
{
    private readonly Random _random = new((int)number);
    private long _left = number;

    public int Next(int options)
    {
        int choice = (int)(_left % options);
        _left /= options;
        return choice;
    }

    public int Draw(int below) => _random.Next(below);
}
