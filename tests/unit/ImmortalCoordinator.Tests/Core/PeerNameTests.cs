using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>A name that is claimed must be the name that the certificate proves, in both directions, and one that may send.</summary>
public sealed class PeerNameTests : IDisposable
{
    private static readonly Guid s_shop = new("aaaaaaaa-0000-0000-0000-000000000001");
    private readonly TemporaryFolder _folder = new();
    private readonly TestAuthority _authority;
    private readonly TestAuthority _foreign;

    public PeerNameTests()
    {
        _authority = new TestAuthority(_folder, "authority");
        _foreign = new TestAuthority(_folder, "foreign");
    }

    [Fact]
    public async Task Who_claims_another_name_than_its_certificate_proves_is_refused()
    {
        await using CoreUnderTest core = await StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        Assert.Equal((FrameKind.Goodbye, "IC-4013"), await HelloAsync(core, "shop", "teller"));
        Assert.Equal((FrameKind.Answer, ""), await HelloAsync(core, "shop", "shop"));
    }

    [Fact]
    public async Task Who_is_not_on_the_list_is_refused_with_and_without_certificates()
    {
        PeerAllowList list = PeerAllowList.TryParse("teller, till-*")!;
        await using CoreUnderTest encrypted = await StartAsync(options => options.AllowPeers = list);
        await using ScriptedApp app = await encrypted.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        Assert.Equal((FrameKind.Goodbye, "IC-4017"), await HelloAsync(encrypted, "shop", "shop"));
        Assert.Equal((FrameKind.Answer, ""), await HelloAsync(encrypted, "teller", "teller"));

        await using CoreUnderTest plain = await CoreUnderTest.StartAsync(change: options => options.AllowPeers = list);
        await using ScriptedApp its = await plain.ConnectAppAsync();
        await its.BecomePrimaryAsync();
        await using ScriptedPeer refused = await ScriptedPeer.DialAsync(plain, ScriptedPeer.Hello);
        Assert.Equal("IC-4017", await refused.HearRefusalAsync());
        await using ScriptedPeer heard = await ScriptedPeer.DialAsync(plain, ScriptedPeer.Hello with { From = "till-7" });
        await heard.HearWatermarkAsync(FrameKind.Answer);
    }

    [Fact]
    public async Task Nothing_is_sent_to_an_instance_that_another_one_stands_in_for()
    {
        await using CoreUnderTest core = await StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await using (await StandInAsync(core, TestAuthority.Transport(_authority.Issue("teller"), "teller", NullLogger.Instance),
            HangUpAfterAsync))
        {
            await SendAsync(app, "shop");
            await Within.Until(() => core.Lines.All.Any(static line => line.StartsWith("1402 ", StringComparison.Ordinal)
                && line.Contains("IC-4013 shop was looked for", StringComparison.Ordinal)));
        }

        await ArrivesAsync(core);
    }

    [Fact]
    public async Task A_sender_that_is_not_believed_says_so_and_sends_when_it_is()
    {
        await using CoreUnderTest core = await StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        // Believes the other authority only, but is itself believed.
        await using (await StandInAsync(core,
            TestAuthority.Transport(_authority.Issue("shop", believes: _foreign), "shop", NullLogger.Instance), HangUpAfterAsync))
        {
            await SendAsync(app, "shop");
            await Within.Until(() => core.Lines.All.Any(static line =>
                line.StartsWith("1402 ", StringComparison.Ordinal) && line.Contains("IC-4016", StringComparison.Ordinal)));
        }

        await ArrivesAsync(core);
    }

    public void Dispose()
    {
        _authority.Dispose();
        _foreign.Dispose();
        _folder.Dispose();
    }

    private static async Task<IListener> StandInAsync(CoreUnderTest core, SocketTransport transport, Func<IConnection, Task> serve)
    {
        IListener listener = await transport.ListenAsync(EndPointName.Tcp("127.0.0.1", 0), serve, default);
        CatalogRow? present = await core.Catalog.GetAsync("shop");
        Assert.NotNull(await core.Catalog.PutAsync(
            new CatalogEntry { Instance = "shop", InstanceId = s_shop.ToString("N"), PeerAddress = listener.EndPoint.ToString() },
            present?.Version));
        return listener;
    }

    // Nobody may get here with a Hello: it would be counted as an answer that never comes.
    private static async Task HangUpAfterAsync(IConnection connection) =>
        Assert.Null(await FrameSender.ReadSmallAsync(connection.Input, default));

    private static async Task SendAsync(ScriptedApp app, string destination)
    {
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(1, destination).Write);
        await app.SayAsync(BindingMessageType.Outputs, static output => output.Write((ReadOnlySpan<byte>)[1, 1, 8, 0, 0, 2, 1]));
        await app.DoneAsync(1);
    }

    // The real shop comes up: what waited is sent to it.
    private async Task ArrivesAsync(CoreUnderTest core)
    {
        var heard = new TaskCompletionSource<FrameKind>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener shop =
            await StandInAsync(core, TestAuthority.Transport(_authority.Issue("shop"), "shop", NullLogger.Instance), async connection =>
        {
            (FrameKind _, byte[] hello) = await FrameSender.ReadSmallAsync(connection.Input, default) ?? throw new IOException("gone");
            var body = new ArrayBufferWriter<byte>();
            new PeerAnswer(Watermark.None, 1, s_shop).Write(body);
            bool data = PeerHello.Read(hello).Channel == PeerChannel.Data;
            await FrameSender.SendAsync(connection.Output, data ? FrameKind.Answer : FrameKind.Trim, body.WrittenMemory);
            while (await FrameSender.ReadSmallAsync(connection.Input, default) is { } frame)
            {
                if (data)
                {
                    heard.TrySetResult(frame.Kind);
                }
            }
        });
        Assert.Equal(FrameKind.Batch, await heard.Task.OrFail());
    }

    private Task<CoreUnderTest> StartAsync(Action<CoordinatorOptions>? change = null) => CoreUnderTest.StartAsync(
        change: options =>
        {
            options.PeerAddress = EndPointName.Tcp("127.0.0.1", 0);
            change?.Invoke(options);
        },
        peers: TestAuthority.Transport(_authority.Issue("bank"), "bank", NullLogger.Instance));

    private async Task<(FrameKind Kind, string Code)> HelloAsync(CoreUnderTest core, string proven, string claimed)
    {
        EndPointName address = EndPointName.Parse((await core.Catalog.GetAsync("bank"))!.Entry.PeerAddress);
        await using IConnection connection = await TestAuthority.Transport(_authority.Issue(proven), proven, NullLogger.Instance)
            .ConnectAsync(address, default);
        var body = new ArrayBufferWriter<byte>();
        new PeerHello(PeerHello.CurrentVersion, PeerChannel.Data, "default", claimed, "bank", s_shop, Guid.Empty, Epoch: 5, Generation: 1)
            .Write(body);
        await FrameSender.SendAsync(connection.Output, FrameKind.Hello, body.WrittenMemory);
        (FrameKind kind, byte[] answer) = await FrameSender.ReadSmallAsync(connection.Input, default).AsTask().OrFail()
            ?? throw new EndOfStreamException();
        return (kind, kind == FrameKind.Goodbye ? PeerGoodbye.Read(answer).Code : "");
    }
}
