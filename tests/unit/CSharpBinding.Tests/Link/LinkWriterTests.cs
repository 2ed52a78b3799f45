using System.IO.Pipelines;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Link;
using Ambrosia.Primitives.Sockets;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Link;

public sealed class LinkWriterTests
{
    // A transport that takes something only when the reader has taken all that was before.
    private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1, useSynchronizationContext: false,
        readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline));
    private readonly LinkWriter _writer;

    public LinkWriterTests() => _writer = new LinkWriter(_pipe.Writer, 1 << 20);

    [Fact] // docs/internals/effect-rules.md E5
    public async Task Who_waits_until_all_was_taken_is_called_when_the_transport_took_it_and_not_before()
    {
        List<string> called = [];
        _writer.OnTaken(() => called.Add("nothing was sent"));
        _writer.SubmitControl(BindingMessageType.Heartbeat, []);
        _writer.OnTaken(() => called.Add("first"));
        _writer.SubmitControl(BindingMessageType.Heartbeat, []);
        _writer.OnTaken(() => called.Add("second"));
        Assert.Equal(["nothing was sent"], called);
        await TakeAsync();
        Assert.Equal(["nothing was sent", "first"], called);
        await TakeAsync();
        Assert.Equal(["nothing was sent", "first", "second"], called);
    }

    [Fact] // docs/internals/effect-rules.md E5, E9
    public async Task Who_waits_until_all_was_taken_is_not_called_when_the_link_closes_before()
    {
        bool called = false;
        _writer.SubmitControl(BindingMessageType.Heartbeat, []);
        _writer.OnTaken(() => called = true);
        await _pipe.Reader.CompleteAsync();
        Assert.False(called);
        _writer.OnTaken(() => called = true);
        Assert.False(called);
        Assert.True(_writer.IsClosed);
    }

    [Fact] // An impulse is sent by the thread of the app that asks for it, at any moment.
    public async Task A_link_closes_after_what_another_thread_is_sending_and_sends_it_once()
    {
        using var entered = new SemaphoreSlim(0);
        using var goOn = new SemaphoreSlim(0);
        var channel = new HeldChannel(() =>
        {
            entered.Release();
            Assert.True(goOn.Wait(Patience.Time));
            return Task.CompletedTask;
        });
        var writer = new LinkWriter(new SocketPipeWriter(channel), 1 << 20);
        var sender = new Thread(() => writer.SubmitControl(BindingMessageType.Heartbeat, []));
        sender.Start();
        Assert.True(await entered.WaitAsync(Patience.Time));
        writer.SubmitControl(BindingMessageType.Goodbye, [0]); // That thread takes it along.
        Task closed = writer.CloseAsync(null, new ManualClock());
        goOn.Release();
        Assert.True(sender.Join(Patience.Time));
        await closed.WaitAsync(Patience.Time);
        Assert.Equal(
            [.. TestMessage.Frame(BindingMessageType.Heartbeat, []), .. TestMessage.Frame(BindingMessageType.Goodbye, [0])], channel.Sent);
    }

    [Fact]
    public async Task A_link_whose_coordinator_stands_still_closes_after_five_seconds_and_sends_nothing_beside_what_is_on_its_way()
    {
        var room = new TaskCompletionSource();
        var channel = new HeldChannel(() => room.Task);
        var clock = new ManualClock();
        var writer = new LinkWriter(new SocketPipeWriter(channel), 1 << 20);
        writer.SubmitControl(BindingMessageType.Heartbeat, []);
        writer.SubmitControl(BindingMessageType.Goodbye, [0]);
        Task closed = writer.CloseAsync(null, clock);
        clock.Advance(TimeSpan.FromSeconds(4.9));
        Assert.False(closed.IsCompleted);
        clock.Advance(TimeSpan.FromSeconds(0.1));
        await closed.WaitAsync(Patience.Time);
        Assert.Equal(1, channel.Sends);
        room.SetResult();
        Assert.Equal(TestMessage.Frame(BindingMessageType.Heartbeat, []), channel.Sent);
        Assert.Equal(1, channel.Sends);
    }

    [Fact]
    public async Task What_failed_to_be_sent_is_not_sent_again_when_the_link_closes()
    {
        var channel = new HeldChannel(static () => throw new IOException("broken"));
        var writer = new LinkWriter(new SocketPipeWriter(channel), 1 << 20);
        writer.SubmitControl(BindingMessageType.Heartbeat, []);
        Assert.True(writer.IsClosed);
        await writer.CloseAsync(null, new ManualClock()).WaitAsync(Patience.Time);
        Assert.Equal(1, channel.Sends);
    }

    [Fact] // Such as the impulse of a thread that the end overtakes between handing it over and sending it.
    public async Task A_link_sends_what_was_handed_over_and_by_nobody_sent_before_it_closes()
    {
        var channel = new HeldChannel(static () => Task.CompletedTask);
        var writer = new LinkWriter(new SocketPipeWriter(channel), 1 << 20);
        writer.EnqueueOfTurn(BindingMessageType.Heartbeat, []);
        Assert.Equal(0, channel.Sends);
        await writer.CloseAsync(null, new ManualClock()).WaitAsync(Patience.Time);
        Assert.Equal(TestMessage.Frame(BindingMessageType.Heartbeat, []), channel.Sent);
    }

    private async Task TakeAsync()
    {
        ReadResult result = await _pipe.Reader.ReadAsync();
        _pipe.Reader.AdvanceTo(result.Buffer.End);
    }
}
