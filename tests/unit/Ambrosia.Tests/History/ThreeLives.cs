using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>A log of three lives, each with a segment and at least one checkpoint of its own. Nothing of it was released.</summary>
public sealed class ThreeLives : IAsyncLifetime
{
    private const int Lives = 3;
    private const int Rolls = 100;

    public DiceLog Log { get; } = DiceLog.New();

    public async Task InitializeAsync()
    {
        for (int life = 0; life < Lives; life++)
        {
            int first = life * Rolls;
            int checkpoints = Checkpoints();
            await Log.PlayAsync(Fickleness.None, 4 << 10, async self =>
            {
                // As many records as rolls: each is awaited.
                for (int i = first; i < first + Rolls || Checkpoints() == checkpoints; i++)
                {
                    await self.RollImpulse(i);
                }
            });
        }
    }

    public Task DisposeAsync()
    {
        Log.Dispose();
        return Task.CompletedTask;
    }

    private int Checkpoints() => Directory.Exists(Path.Combine(Log.Folder, "checkpoints"))
        ? Directory.EnumerateFiles(Path.Combine(Log.Folder, "checkpoints"), "*.ckpt").Count() : 0;
}
