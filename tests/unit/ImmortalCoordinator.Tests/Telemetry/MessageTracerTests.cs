using System.Diagnostics;
using System.Text;
using Ambrosia.CoordinatorHost.Telemetry;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Telemetry;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Telemetry;

/// <summary>Which messages of a record are traced, in which ids.</summary>
public sealed class MessageTracerTests : IDisposable
{
    private const double Share = 0.03;
    private static readonly Guid s_instance = Guid.Parse("0f8fad5b-d9cb-469f-a165-70867728950e");
    private readonly ActivityListener _listener;
    private readonly List<Activity> _spans = [];
    private readonly string _name = $"traced-{Guid.NewGuid():N}";

    public MessageTracerTests()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == MessageTracer.SourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = span =>
            {
                if (_name.Equals(span.GetTagItem("ambrosia.instance")))
                {
                    _spans.Add(span);
                }
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public void Dispose() => _listener.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_share_of_calls_forks_and_impulses_of_all_sizes_is_traced_by_the_ids_of_the_apps(bool batched)
    {
        var tracer = new MessageTracer(_name, Share, TimeProvider.System);
        tracer.Serves(s_instance);
        ulong bound = CallId.BoundOf(Share);
        ulong seed = CallId.SeedOf(s_instance);
        var run = new List<byte>();
        var expected = new List<(string Trace, string Position)>();
        for (int i = 0; i < 240; i++)
        {
            var kind = (RpcKind)(i % 3);
            run.AddRange(Message(kind, method: i % 2 == 0 ? 5 : 70_000, size: i * 7, number: i));
            CallId id = kind == RpcKind.Async ? CallId.OfCall("caller"u8, i) : CallId.OfMessage(seed, 7, i);
            if (id.IsBelow(bound))
            {
                expected.Add((id.ToContext().TraceId.ToHexString(), $"7:{i}"));
            }
        }

        tracer.Admitted("caller", 100, tracer.Now);
        tracer.Admitted("caller", 140, tracer.Now);
        tracer.Logged(new Lsn(7), batched ? Batch(240, run) : [.. run], 240);
        tracer.Delivered(new Lsn(7));

        Assert.InRange(expected.Count, 3, 10); // As many as one moment has room for.
        foreach (string name in new[] { "ambrosia.admit", "ambrosia.log", "ambrosia.deliver" })
        {
            Assert.Equal(expected, _spans.Where(span => span.OperationName == name)
                .Select(static span => (span.TraceId.ToHexString(), (string)span.GetTagItem("ambrosia.position")!)));
        }
    }

    [Fact]
    public void Replies_and_what_an_immortal_alone_may_send_are_not_traced()
    {
        var tracer = new MessageTracer(_name, 1, TimeProvider.System);
        tracer.Serves(s_instance);
        byte[] reply = Framed([(byte)RpcForm.Void, 10, (byte)RpcKind.Fork, 2]);
        byte[] timer = Message(RpcKind.Fork, ReservedMethods.TimerFire, 0, 0);

        tracer.Admitted(_name, 2, tracer.Now);
        tracer.Logged(new Lsn(1), [.. reply, .. timer], 2);
        tracer.Delivered(new Lsn(1));

        Assert.Empty(_spans);
    }

    [Fact]
    public void A_flood_is_traced_up_to_a_limit()
    {
        var tracer = new MessageTracer(_name, 1, new StoppedClock());
        tracer.Serves(s_instance);
        byte[] fork = Message(RpcKind.Fork, 5, 1, 0);

        tracer.Admitted("caller", 1000, tracer.Now);
        tracer.Logged(new Lsn(1), [.. Enumerable.Repeat(fork, 1000).SelectMany(static each => each)], 1000);

        Assert.Equal(10, _spans.Count(static span => span.OperationName == "ambrosia.log"));
    }

    private static byte[] Message(RpcKind kind, int method, int size, long number)
    {
        var data = new List<byte>();
        Span<byte> head = stackalloc byte[RpcHeader.LargestCall];
        data.AddRange(head[..RpcHeader.WriteCall(head, method, kind)]);
        if (kind == RpcKind.Async)
        {
            Span<byte> digits = stackalloc byte[Varint.MaxSize64];
            data.AddRange(digits[..Varint.WriteZigZag(digits, 6)]);
            data.AddRange(Encoding.UTF8.GetBytes("caller"));
            data.AddRange(digits[..Varint.WriteZigZag(digits, number)]);
        }

        data.AddRange(new byte[size]);
        return Framed([.. data]);
    }

    private static byte[] Framed(byte[] data, BindingMessageType type = BindingMessageType.Rpc)
    {
        Span<byte> size = stackalloc byte[Varint.MaxSize64];
        return [.. size[..Varint.WriteZigZag(size, data.Length + 1)], (byte)type, .. data];
    }

    private static byte[] Batch(int count, List<byte> run)
    {
        Span<byte> digits = stackalloc byte[Varint.MaxSize64];
        return Framed([.. digits[..Varint.WriteZigZag(digits, count)], .. run], BindingMessageType.RpcBatch);
    }

    private sealed class StoppedClock : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch;
    }
}
