using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>
/// Receives the connections of other coordinators and applies the receiver's rules for a Hello (exactly-once.md#receiver-on-hello).
/// </summary>
internal sealed class PeerServer(PeerSettings settings, InputTable inputs, InputPipeline pipeline, ICatalog catalog,
    Func<ValueTask<bool>> leaseHeld)
{
    private readonly HashSet<IConnection> _connections = [];
    private readonly PeerAdmission _admission = new(settings, catalog);
    private bool _stopped;

    public IEnumerable<PeerInputLink> Links => inputs.All.Select(i => i.Current).OfType<PeerInputLink>().Where(l => l.Open);

    /// <summary>Serves one accepted connection to its end.</summary>
    public async Task ServeAsync(IConnection connection)
    {
        if (_stopped)
        {
            connection.Abort();
            return;
        }

        _connections.Add(connection);
        Failpoint.Pass("K1");
        try
        {
            if (await ReadHelloAsync(connection) is { } hello)
            {
                await (hello.Channel == PeerChannel.Data ? ServeDataAsync(connection, hello) : ServeControlAsync(connection, hello));
            }
        }
        catch (ProtocolException error)
        {
            CoreLog.PeerOffended(settings.Logger, "unknown", connection.Peer, error.Message);
            await RefuseAsync(connection, new PeerGoodbye(PeerErrors.PeerBrokeProtocol, retry: true, error.Message));
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            // The connection broke: the sender comes back.
        }
        finally
        {
            _connections.Remove(connection);
            await connection.DisposeAsync();
        }
    }

    public void Stop()
    {
        _stopped = true;
        foreach (PeerInputLink link in Links.ToList())
        {
            link.Close();
        }

        foreach (IConnection connection in _connections.ToList())
        {
            connection.Abort();
        }
    }

    private static async ValueTask RefuseAsync(IConnection connection, PeerGoodbye goodbye)
    {
        var body = new System.Buffers.ArrayBufferWriter<byte>(128);
        goodbye.Write(body);
        try
        {
            await FrameSender.SendAsync(connection.Output, FrameKind.Goodbye, body.WrittenMemory);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            // It was to be told why it is refused; it has gone already.
        }
    }

    private async ValueTask<PeerHello?> ReadHelloAsync(IConnection connection)
    {
        using var deadline = new CancellationTokenSource(PeerSettings.HandshakeTime, settings.Time);
        (FrameKind Kind, byte[] Body)? frame;
        try
        {
            frame = await FrameSender.ReadSmallAsync(connection.Input, deadline.Token);
        }
        catch (OperationCanceledException)
        {
            return null;
        }

        if (frame is null)
        {
            return null;
        }

        if (frame.Value.Kind != FrameKind.Hello)
        {
            throw new ProtocolException($"{frame.Value.Kind} before Hello", 0);
        }

        PeerHello hello = PeerHello.Read(frame.Value.Body);
        if (Objection(hello, connection.ProvenName) is { } objection)
        {
            CoreLog.PeerRefused(settings.Logger, hello.From, connection.Peer, objection.Code, objection.Reason);
            await RefuseAsync(connection, objection);
            return null;
        }

        return hello;
    }

    private PeerGoodbye? Objection(PeerHello hello, string? proven)
    {
        if (hello.Version is < PeerHello.CurrentVersion or > PeerHello.VersionWithGaps)
        {
            return new PeerGoodbye(
                PeerErrors.PeerProtocolVersion, retry: false,
                $"peer protocol version {hello.Version}; this build speaks {PeerHello.CurrentVersion} and {PeerHello.VersionWithGaps}");
        }

        if (hello.Cluster != settings.Cluster)
        {
            return new PeerGoodbye(PeerErrors.WrongPeer, retry: false, $"expected cluster '{hello.Cluster}', got '{settings.Cluster}'");
        }

        if (hello.To != settings.Instance)
        {
            return new PeerGoodbye(PeerErrors.WrongPeer, retry: true, $"expected {hello.To}, got {settings.Instance}");
        }

        if (hello.ToId != Guid.Empty && hello.ToId != settings.InstanceId)
        {
            return new PeerGoodbye(PeerErrors.UnknownIdentity, retry: true,
                $"expected {hello.To} with identity {hello.ToId:N}, got {settings.InstanceId:N}");
        }

        if (proven is not null && proven != hello.From)
        {
            return new PeerGoodbye(PeerErrors.CertificateOfAnother, retry: false,
                $"Hello of {hello.From} with the certificate of {proven}");
        }

        if (!settings.Allowed.Allows(hello.From))
        {
            return new PeerGoodbye(PeerErrors.PeerNotAllowed, retry: false,
                $"{hello.From} is not among those that may send to {settings.Instance} (--allow-peers)");
        }

        return hello.From == settings.Instance
            ? new PeerGoodbye(PeerErrors.WrongPeer, retry: false, $"{hello.From} dialled itself")
            : null;
    }

    private async Task ServeDataAsync(IConnection connection, PeerHello hello)
    {
        InputState input = inputs.Greet(hello.From);
        input.Connections++;
        try
        {
            await ServeInputAsync(connection, hello, input);
        }
        finally
        {
            input.Connections--;
        }
    }

    private async Task ServeInputAsync(IConnection connection, PeerHello hello, InputState input)
    {
        (PeerInputLink? link, PeerGoodbye? objection) = await _admission.AdmitAsync(input, connection, hello);
        if (link is null)
        {
            CoreLog.PeerRefused(settings.Logger, hello.From, connection.Peer, objection!.Code, objection.Reason);
            await RefuseAsync(connection, objection);
            return;
        }

        try
        {
            if (input.Accepted != input.Durable)
            {
                CoreLog.InputDrains(settings.Logger, hello.From, input.Accepted.ToString(), input.Durable.ToString());
            }

            // Received must equal durable before the answer, else what is in the page would be logged twice (exactly-once.md H1).
            await input.WaitUntilDrainedAsync();
            // An answer is an acknowledgement: a coordinator that lost its lease must not give one (docs/internals/exactly-once.md H3).
            if (link.Open && await leaseHeld() && link.Open)
            {
                CoreLog.InputConnected(settings.Logger, hello.From, hello.Epoch, hello.Generation, input.Durable.ToString());
                await link.ReceiveAsync(pipeline);
            }
        }
        catch (ProtocolException error)
        {
            CoreLog.PeerOffended(settings.Logger, hello.From, connection.Peer, error.Message);
            await RefuseAsync(connection, new PeerGoodbye(PeerErrors.PeerBrokeProtocol, retry: true, error.Message));
        }
        catch (IOException error) when (link.Open && Breakage.OfConnection(error))
        {
            CoreLog.InputLost(settings.Logger, hello.From, error.Message); // The sender comes back.
        }
        finally
        {
            link.Close();
        }
    }

    private async Task ServeControlAsync(IConnection connection, PeerHello hello)
    {
        if (inputs.Find(hello.From)?.Current is not PeerInputLink { Open: true } link
            || link.Epoch != hello.Epoch || link.Generation != hello.Generation)
        {
            await RefuseAsync(connection,
                new PeerGoodbye(PeerErrors.ConnectionReplaced, retry: true, "no data connection of this epoch and generation is open"));
            return;
        }

        await link.ServeControlAsync(connection);
    }
}
