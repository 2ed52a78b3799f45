using Ambrosia.TimeTravel.Tests.Apps;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A finished log that many tests read: made once.</summary>
public sealed class LedgerLog : IAsyncLifetime, IDisposable
{
    public const int Payments = 3000;
    private readonly Scratch _scratch = new();

    public string Folder { get; private set; } = "";

    public async Task InitializeAsync()
    {
        await using LedgerWorld world = LedgerWorld.Start<Ledger>(_scratch.Path, static options => options.CheckpointEvery = 64 << 10);
        await world.PayAsync(Payments);
        Folder = world.Folder;
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _scratch.Dispose();
}
