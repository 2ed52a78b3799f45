namespace Ambrosia.Tests;

/// <summary>
/// How long a test waits for what must happen before it fails instead of hanging. No test depends on how long anything takes: hunts for
/// planted bugs, of which most wait for what their bug keeps from happening, set a shorter time by AMBROSIA_TEST_PATIENCE, in seconds.
/// </summary>
internal static class Patience
{
    public static readonly TimeSpan Time = TimeSpan.FromSeconds(
        Environment.GetEnvironmentVariable("AMBROSIA_TEST_PATIENCE") is { Length: > 0 } seconds
        ? int.Parse(seconds, System.Globalization.CultureInfo.InvariantCulture) : 60);
}
