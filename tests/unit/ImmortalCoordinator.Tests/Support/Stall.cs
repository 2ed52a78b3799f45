namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A reader that does not read for longer than any time limit of a connection.</summary>
public static class Stall
{
    public const int Piece = 1 << 20;

    /// <summary>Pieces that are sent meanwhile: several times what the system's buffers hold.</summary>
    public const int Pieces = 64;

    private static readonly TimeSpan s_time = TimeSpan.FromSeconds(30);

    /// <summary>Ends when so much time has passed. What is under way must neither end nor fail before that.</summary>
    public static async Task WithAsync(Task underWay)
    {
        if (await Task.WhenAny(underWay, Task.Delay(s_time)) == underWay)
        {
            await underWay;
            Assert.Fail("Everything was sent: the reader was not waited for.");
        }
    }
}
