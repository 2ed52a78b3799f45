using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>One stream of calls to an instance: what each of its calls is told when it ends, stands still, or brings too much.</summary>
public sealed class InstanceStreamTests : IDisposable
{
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(30);
    private readonly Pipe _answer = new();
    private readonly MemoryStream _sent = new();
    private readonly ReplyRoom _room = new(1000);
    private readonly HttpResponseMessage _response = new(HttpStatusCode.OK);

    public void Dispose()
    {
        _response.Dispose();
        _sent.Dispose();
    }

    [Fact]
    public async Task A_call_of_which_no_byte_has_left_has_reached_nobody()
    {
        using var stream = new InstanceStream((_, _) => throw new HttpRequestException("refused"), _room, TimeProvider.System);
        InstanceSaid said = await AskAsync(stream, s_long);
        Assert.Equal((null, TryOutcome.NotSent, false), (said.Reply, said.End?.Outcome, said.MayHaveArrived));
        Assert.False(stream.Serves);
        Assert.Equal(TryOutcome.NotSent, (await AskAsync(stream, s_long)).End?.Outcome); // As each that comes too late.
    }

    [Fact]
    public async Task A_call_that_has_left_may_have_arrived_when_its_stream_breaks()
    {
        using InstanceStream stream = Open();
        Task<InstanceSaid> asked = AskAsync(stream, s_long);
        await Within.Until(() => _sent.Length > 0);
        await _answer.Writer.CompleteAsync(new IOException("reset"));
        InstanceSaid said = await asked.OrFail();
        Assert.Equal((TryOutcome.Broken, StreamEndKind.NotServed, true), (said.End?.Outcome, said.End?.Kind, said.MayHaveArrived));
    }

    [Theory]
    [InlineData("0", "", (int)StreamEndKind.Over, (int)TryOutcome.Broken)]
    [InlineData("12", "", (int)StreamEndKind.NoStreams, (int)TryOutcome.NotSent)]
    [InlineData("8", "IC-7015", (int)StreamEndKind.NoRoom, (int)TryOutcome.NotSent)]
    [InlineData("14", "IC-7007", (int)StreamEndKind.NotServed, (int)TryOutcome.Unavailable)]
    [InlineData("9", "IC-7022", (int)StreamEndKind.NotServed, (int)TryOutcome.OtherInstance)]
    [InlineData("16", "IC-7013", (int)StreamEndKind.NotServed, (int)TryOutcome.NotTrusted)]
    [InlineData("3", "IC-7001", (int)StreamEndKind.Failed, (int)TryOutcome.Broken)]
    [InlineData("", "", (int)StreamEndKind.NotServed, (int)TryOutcome.Broken)]
    public async Task How_a_stream_ends_says_what_became_of_its_calls(string status, string code, int kind, int outcome)
    {
        using InstanceStream stream = Open();
        Task<InstanceSaid> asked = AskAsync(stream, s_long);
        if (status.Length > 0)
        {
            _response.TrailingHeaders.Add("grpc-status", status);
            _response.TrailingHeaders.Add("ambrosia-code", code);
        }

        await _answer.Writer.CompleteAsync();
        StreamEnd? end = (await asked.OrFail()).End;
        Assert.Equal(((StreamEndKind)kind, (TryOutcome)outcome), (end!.Kind, end.Outcome));
    }

    [Fact]
    public async Task An_instance_that_stands_still_is_given_up_and_its_stream_left()
    {
        using InstanceStream stream = Open();
        InstanceSaid said = await AskAsync(stream, TimeSpan.FromMilliseconds(200)).OrFail();
        Assert.Equal((null, null, true), (said.Reply, said.End, said.MayHaveArrived));
        Assert.False(stream.Serves);
    }

    [Fact] // Its client reads none, or in bursts: that is not the instance's doing, and the replies would fill memory.
    public async Task While_the_client_takes_no_replies_no_more_are_read_and_patience_begins_when_they_are_again()
    {
        var time = new SteppedTime();
        using InstanceStream stream = Open(time: time);
        _room.Add(1001);
        Task<InstanceSaid> first = AskAsync(stream, s_long), second = AskAsync(stream, s_long), third = AskAsync(stream, s_long);
        await TellAsync(1);
        Assert.NotNull((await first.OrFail()).Reply);
        await Within.Until(() => stream.IsHeldUp);
        await TellAsync(2);
        for (int i = 0; i < 5; i++)
        {
            time.Pass(0.9 * s_long);
        }

        Assert.False(second.IsCompleted);
        _room.Remove(1);
        Assert.NotNull((await second.OrFail()).Reply);
        Assert.False(stream.IsHeldUp);
        time.Pass(0.9 * s_long);
        Assert.False(third.IsCompleted);
        Assert.True(stream.Serves);
        time.Pass(0.2 * s_long); // An instance that stands still then is left in the end.
        InstanceSaid said = await third.OrFail();
        Assert.Equal((null, null, true), (said.Reply, said.End, said.MayHaveArrived));
        Assert.False(stream.Serves);
    }

    [Fact]
    public async Task A_call_whose_time_was_over_before_it_could_leave_has_reached_nobody_and_leaves_no_more()
    {
        var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var time = new SteppedTime();
        using InstanceStream stream = Open(begin.Task, time);
        Task<InstanceSaid> asked = AskAsync(stream, s_long);
        time.Pass(2 * s_long);
        InstanceSaid said = await asked.OrFail();
        Assert.Equal((null, null, false), (said.Reply, said.End, said.MayHaveArrived));
        begin.SetResult();
        await _answer.Writer.CompleteAsync();
        await stream.Ended.OrFail();
        Assert.Equal(0, _sent.Length);
    }

    [Fact]
    public async Task A_stream_on_which_too_many_calls_wait_to_leave_is_left()
    {
        var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using InstanceStream stream = Open(begin.Task);
        var waiting = new List<Task<InstanceSaid>>();
        while (waiting.Count <= 10_000 && (waiting.Count == 0 || !waiting[^1].IsCompleted))
        {
            waiting.Add(AskAsync(stream, s_long));
        }

        InstanceSaid refused = await waiting[^1];
        Assert.Equal((null, null, false), (refused.Reply, refused.End, refused.MayHaveArrived));
        Assert.InRange(waiting.Count, 2000, 5000);
        Assert.False(stream.Serves);
        begin.SetResult();
        await _answer.Writer.CompleteAsync(new IOException("reset"));
        Assert.All(await Task.WhenAll(waiting[..^1]).OrFail(), static said => Assert.NotNull(said.End));
    }

    [Fact] // Its bytes are the caller's, and what is to leave may wait for long.
    public void A_call_that_leaves_is_dropped_by_nobody_and_one_that_is_dropped_keeps_no_bytes()
    {
        var batch = new IngressBatchWriter();
        var leaves = new PassedCall(1, "leaves"u8.ToArray(), false, 1000);
        leaves.WriteTo(batch);
        Assert.False(leaves.TryDrop());
        Assert.True(leaves.MayHaveArrived);
        int written = batch.Written.Length;
        (PassedCall dropped, WeakReference bytes) = Dropped();
        GC.Collect();
        Assert.False(bytes.IsAlive);
        dropped.WriteTo(batch);
        Assert.Equal(written, batch.Written.Length);
        Assert.False(dropped.MayHaveArrived);
    }

    [Fact]
    public async Task A_call_that_was_given_up_before_it_was_written_is_not_sent()
    {
        var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using InstanceStream stream = Open(begin.Task);
        using var gone = new CancellationTokenSource();
        Task<InstanceSaid> dropped = stream.AskAsync("dropped"u8.ToArray(), false, s_long, s_long, gone.Token);
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => dropped);
        Task<InstanceSaid> kept = stream.AskAsync("kept"u8.ToArray(), false, s_long, s_long, default);
        begin.SetResult();
        await Within.Until(() => Encoding.UTF8.GetString(_sent.ToArray()).Contains("kept", StringComparison.Ordinal));
        Assert.DoesNotContain("dropped", Encoding.UTF8.GetString(_sent.ToArray()), StringComparison.Ordinal);
        await TellAsync(2);
        Assert.NotNull((await kept.OrFail()).Reply);
    }

    [Fact]
    public async Task A_stream_that_was_left_ends_when_its_calls_are_answered()
    {
        using InstanceStream stream = Open();
        Task<InstanceSaid> asked = AskAsync(stream, s_long);
        stream.Leave();
        await TellAsync(1);
        Assert.NotNull((await asked.OrFail()).Reply);
        _response.TrailingHeaders.Add("grpc-status", "0");
        await _answer.Writer.CompleteAsync();
        await stream.Ended.OrFail();
    }

    private static Task<InstanceSaid> AskAsync(InstanceStream stream, TimeSpan patience) =>
        stream.AskAsync("call"u8.ToArray(), false, s_long, patience, default);

    private async Task TellAsync(ulong id)
    {
        var batch = new IngressBatchWriter();
        batch.Add(id, new IngressReply(IngressReplyKind.Nothing));
        await _answer.Writer.WriteAsync(GrpcFrame.Of(output => output.Write(batch.Written.Span)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Else the bytes live as long as the test.
    private static (PassedCall Call, WeakReference Bytes) Dropped()
    {
        byte[] bytes = new byte[1000];
        var call = new PassedCall(2, bytes, false, 1000);
        Assert.True(call.TryDrop());
        return (call, new WeakReference(bytes));
    }

    private InstanceStream Open(Task? begin = null, TimeProvider? time = null)
    {
        _response.Content = new StreamContent(_answer.Reader.AsStream());
        return new InstanceStream(
            async (content, stop) =>
            {
                await (begin ?? Task.CompletedTask);
                _ = content.CopyToAsync(_sent, stop);
                return _response;
            },
            _room, time ?? TimeProvider.System);
    }
}
