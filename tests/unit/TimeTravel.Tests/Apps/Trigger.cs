namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>When planted changes come into effect: seldom, so that finding the first place means something.</summary>
public static class Trigger
{
    /// <summary>The amount that a changed version treats otherwise.</summary>
    public const long By = 1777;

    /// <summary>Messages after which results change.</summary>
    public const long Handled = 6000;
}
