using System.IO.Pipelines;
using Ambrosia.TimeTravel.Link;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>An app before whose first connection something happens.</summary>
public sealed class Meanwhile(IReplayApp app, Func<Task> before) : IReplayApp
{
    private bool _happened;

    public string Description => app.Description;

    public async Task<IDuplexPipe> ConnectAsync(CancellationToken cancellationToken)
    {
        if (!_happened)
        {
            _happened = true;
            await before();
        }

        return await app.ConnectAsync(cancellationToken);
    }

    public Task RenewAsync() => app.RenewAsync();

    public Task<string?> DeathRecordAsync() => app.DeathRecordAsync();

    public ValueTask DisposeAsync() => app.DisposeAsync();
}
