using System.IO.Pipelines;
using Ambrosia.Link;
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

    private async Task TakeAsync()
    {
        ReadResult result = await _pipe.Reader.ReadAsync();
        _pipe.Reader.AdvanceTo(result.Buffer.End);
    }
}
