using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>What a handler logs by <c>Log</c> appears when it happens, and not when it is executed again.</summary>
public sealed class SilentLogTests : IAsyncDisposable
{
    private const string Line = "chance"; // Counter.Chance says it.
    private readonly LineLogger _log = new();
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    public SilentLogTests() => _coordinator.Logger = _log;

    [Fact]
    public async Task A_line_appears_once_however_often_its_message_is_replayed()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Chance());
        Assert.Equal(1, _log.Count(Line));

        for (int life = 0; life < 3; life++)
        {
            await _coordinator.KillAsync();
            await _coordinator.RecoverAsync();
            Assert.Single(_coordinator.SentTo("sink")); // It was executed again.
            Assert.Equal(1, _log.Count(Line));
        }
    }

    [Fact]
    public async Task A_replica_that_follows_logs_nothing_until_it_is_primary()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.KillAsync();
        _coordinator.Append(Chance());

        await _coordinator.RecoverAsync(becomePrimary: false);
        await _coordinator.UntilAsync(() => _coordinator.ProgressLsn == _coordinator.Log[^1].Lsn, "progress of a follower");
        Assert.Equal(0, _log.Count(Line));

        await _coordinator.BecomePrimaryAsync();
        await _coordinator.DeliverAsync(Chance());
        Assert.Equal(1, _log.Count(Line));
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private static byte[] Chance() =>
        TestMessage.Call(RpcKind.Fork, 6, static (ref Ambrosia.Serialization.MessagePackWriter w) => w.WriteArrayHeader(0));
}
