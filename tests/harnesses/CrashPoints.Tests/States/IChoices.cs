namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>Where a power cut may leave one thing or another.</summary>
internal interface IChoices
{
    /// <summary>One of so many fates, which are enumerated when there are few.</summary>
    int Next(int options);

    /// <summary>A number below this, drawn when fates are.</summary>
    int Draw(int below);
}
