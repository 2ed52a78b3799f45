using System.IO.Pipelines;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>The coordinator dies while the app executes a batch that it has received.</summary>
public sealed class BrokenLinkTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly ScriptedCoordinator _coordinator = new(static () => new BreakingCounter()) { LogsSelfMessages = false };

    private BreakingCounter App => (BreakingCounter)_coordinator.Immortal!;

    [Fact]
    public async Task A_handler_does_not_notice_that_the_link_has_closed_and_no_other_begins()
    {
        await _coordinator.StartFirstAsync();
        BreakingCounter first = App;
        Exception? outside = null;
        first.InTurn = () => outside = CloseLinkUnderTheApp(first);

        await _coordinator.DeliverAsync(_coordinator.Append(Add(1), Add(2)));
        await Assert.ThrowsAsync<LinkClosedException>(() => _coordinator.App.WaitAsync(s_patience));

        Assert.Equal(["add 1: nothing thrown"], first.Seen);
        Assert.Equal(1, first.Total);
        Assert.IsType<LinkClosedException>(outside); // A sender on a thread of the app's own is told.
        await RecoveredAsync(total: 3, "add 1: nothing thrown", "add 2: nothing thrown");
    }

    [Fact]
    public async Task Code_behind_an_await_does_not_notice_it_either()
    {
        await _coordinator.StartFirstAsync();
        BreakingCounter first = App;
        await _coordinator.DeliverAsync(DispatchTests.AskPeer("peer", 1, number: 5));
        long number = DispatchTests.NumberOf(Assert.Single(_coordinator.SentTo("peer")));
        first.InTurn = () => CloseLinkUnderTheApp(first);

        await _coordinator.DeliverAsync(_coordinator.Append(TestMessage.Reply(RpcForm.Value, 1, number, [7]), Add(2)));
        await Assert.ThrowsAsync<LinkClosedException>(() => _coordinator.App.WaitAsync(s_patience));

        Assert.Equal(["add 7: nothing thrown"], first.Seen);
        await RecoveredAsync(total: 9, "add 7: nothing thrown", "add 2: nothing thrown");
    }

    [Theory]
    [InlineData(BindingMessageType.TakeCheckpoint)]
    [InlineData(BindingMessageType.StateRequest)]
    [InlineData(BindingMessageType.Query)]
    public async Task What_is_asked_behind_the_turn_in_which_the_link_closed_is_not_looked_at(BindingMessageType asked)
    {
        await _coordinator.StartFirstAsync();
        BreakingCounter first = App;
        using var entered = new SemaphoreSlim(0);
        using var goOn = new SemaphoreSlim(0);
        first.InTurn = () =>
        {
            entered.Release();
            Assert.True(goOn.Wait(s_patience));
            CloseLinkUnderTheApp(first);
        };

        Task sent = _coordinator.DeliverAsync(_coordinator.Append(Add(1)));
        Assert.True(await entered.WaitAsync(s_patience));
        await sent;
        await _coordinator.SendAsync(TestMessage.Frame(asked, [7]));
        goOn.Release();

        await Assert.ThrowsAsync<LinkClosedException>(() => _coordinator.App.WaitAsync(s_patience));
        Assert.Equal(["add 1: nothing thrown"], first.Seen);
        Assert.Single(_coordinator.Checkpoints);
        Assert.Null(_coordinator.StateJson);
        Assert.Null(_coordinator.QueryReply);
    }

    [Fact]
    public async Task Who_waits_until_a_slow_coordinator_takes_more_is_released_when_that_dies()
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 100, resumeWriterThreshold: 50));
        var writer = new LinkWriter(pipe.Writer, maxQueuedBytes: 1000);
        for (int i = 0; i < 20; i++)
        {
            writer.SubmitControl(BindingMessageType.Heartbeat, new byte[100]);
        }

        Task room = writer.WaitForRoomAsync(CancellationToken.None);
        Assert.False(room.IsCompleted);
        await pipe.Reader.CompleteAsync();

        await room.WaitAsync(s_patience);
        Assert.Throws<LinkClosedException>(writer.ThrowIfClosed);
        writer.EnqueueOfTurn(BindingMessageType.Destination, [0]); // Nothing is thrown, and nothing kept.
        Assert.True(writer.WaitForRoomAsync(CancellationToken.None).IsCompleted);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_coordinator.App.IsFaulted)
        {
            await _coordinator.DisposeAsync();
        }
    }

    // Runs in a turn, in its thread. The other thread sends until it is told.
    private Exception? CloseLinkUnderTheApp(BreakingCounter app)
    {
        Exception? told = null;
        var sender = new Thread(() =>
        {
            _coordinator.CloseInputAsync().GetAwaiter().GetResult();
            while (told is null)
            {
                try
                {
                    _ = app.Self.PokeImpulse(1);
                }
                catch (IOException closed)
                {
                    told = closed;
                }
            }
        });
        sender.Start();
        Assert.True(sender.Join(s_patience));
        return told;
    }

    private static byte[] Add(int amount) => DispatchTests.Add(RpcKind.Fork, amount);

    private async Task RecoveredAsync(int total, params string[] seen)
    {
        _coordinator.Forget();
        await _coordinator.RecoverAsync();
        Assert.Equal(seen, App.Seen);
        Assert.Equal(total, App.Total);
        Assert.Empty(_coordinator.Divergences);
        Assert.Single(_coordinator.SentTo("fresh2"));
    }
}
