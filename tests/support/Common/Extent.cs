namespace Ambrosia.Tests;

/// <summary>
/// How much of something a test that explores does: little in <c>./test.sh</c>, all of it in a full run (<c>AMBROSIA_FULL=1</c>), much more
/// in a soak (<c>AMBROSIA_SOAK=1</c>).
/// </summary>
internal static class Extent
{
    public static bool IsFull { get; } = IsSet("AMBROSIA_FULL");

    public static bool IsSoak { get; } = IsSet("AMBROSIA_SOAK");

    public static int Of(int everyday, int full, int soak) => IsSoak ? soak : IsFull ? full : everyday;

    private static bool IsSet(string variable) => Environment.GetEnvironmentVariable(variable) == "1";
}
