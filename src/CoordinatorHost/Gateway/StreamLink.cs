using System.Buffers;
using System.Diagnostics.Metrics;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// The way of one client's stream to instances: one stream to each of them, and for some calls a request of its own, as for those that
/// would hold up others.
/// </summary>
/// <param name="link">The way to instances.</param>
/// <param name="headers">Headers that are passed on.</param>
/// <param name="alone">Where calls go alone.</param>
/// <param name="client">The client's stream. While that has not taken its replies, no more are read.</param>
/// <param name="time">Clock.</param>
internal sealed class StreamLink(
    InstanceLink link, IReadOnlyList<KeyValuePair<string, string>> headers, LoneRoutes alone, CallStream client, TimeProvider time)
    : IInstanceLink, IDisposable
{
    private static readonly Meter s_meter = new("Ambrosia.Gateway");
    private static readonly Counter<long> s_calls =
        s_meter.CreateCounter<long>("ambrosia.gateway.streamed", "", "Requests of them that were answered on a stream.");

    private const int MostStreams = 16;
    private const int MostTries = 3;
    private const int MostTold = 1024;

    // Bytes of a call. An instance takes messages of 128 KiB, whatever one call may have there.
    private const int MostOnStream = 32 << 10;

    private readonly object _gate = new();
    private readonly SemaphoreSlim _reading = new(1);
    private readonly LoneRoutes _failed = new(time); // Another client's streams may do better there.
    private readonly Dictionary<string, (string Id, Task Told)> _told = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Address, string InstanceId), InstanceStream> _streams = [];

    /// <inheritdoc/>
    public async Task<TryResult> TryAsync(ForwardedCall call, Route route, TimeSpan wait, CancellationToken gone)
    {
        // Before a byte of the call leaves: when the stream has broken, its client can say where the call may be (outside-calls.md X22).
        await TellServingAsync(call.Instance, route.InstanceId, gone);
        bool mayHaveArrived = false;
        for (int tries = 0; tries < MostTries && call.Body.Length <= MostOnStream && StreamTo(route) is { } stream; tries++)
        {
            InstanceSaid said = await stream.AskAsync(call.Body, call.Sends, wait, wait + InstanceLink.Grace, gone);
            mayHaveArrived |= said.MayHaveArrived && said.End?.Kind is not (StreamEndKind.NoStreams or StreamEndKind.NoRoom);
            if (said.Reply is { } reply)
            {
                s_calls.Add(1);
                return Judge(call, reply);
            }

            if (said.End is { Kind: StreamEndKind.NoStreams or StreamEndKind.NoRoom or StreamEndKind.Failed } without)
            {
                (without.Kind is StreamEndKind.NoStreams ? alone : _failed).Add(route.Address);
            }

            // What it has not read goes on another one. Where there are none it goes alone.
            if (said.End is not { Kind: StreamEndKind.Over or StreamEndKind.NoStreams or StreamEndKind.NoRoom })
            {
                return Failed(said.End, mayHaveArrived);
            }
        }

        TryResult result = await TryAloneAsync(call, route, wait, gone);
        return mayHaveArrived && result.Outcome is TryOutcome.NotSent or TryOutcome.BadEncryption
            ? result with { Outcome = TryOutcome.Broken } : result;
    }

    /// <summary>No call comes any more, and none is under way.</summary>
    public void Dispose()
    {
        _reading.Dispose();
        lock (_gate)
        {
            foreach (InstanceStream stream in _streams.Values)
            {
                stream.Leave();
            }

            _streams.Clear();
        }
    }

    private static TryResult Failed(StreamEnd? end, bool mayHaveArrived)
    {
        TryOutcome outcome = end?.Outcome ?? TryOutcome.Broken;
        outcome = outcome is TryOutcome.Broken && !mayHaveArrived ? TryOutcome.NotSent
            : outcome is TryOutcome.NotSent or TryOutcome.BadEncryption && mayHaveArrived ? TryOutcome.Broken : outcome;
        return new TryResult(outcome, null, end?.Reason ?? "it does not answer");
    }

    private static TryResult Judge(ForwardedCall call, in IngressStreamedReply reply)
    {
        string code = reply.Refusal?.Code ?? "";
        TryOutcome outcome = InstanceAnswer.OutcomeOf(code, isUnauthorized: false)
            ?? (!call.Sends && IsAccepted(reply) ? TryOutcome.Pending : TryOutcome.Answered);
        return new TryResult(outcome, null, code) { Streamed = reply };
    }

    // What a later instance says otherwise is for the client to read.
    private static bool IsAccepted(in IngressStreamedReply reply)
    {
        try
        {
            return reply.Reply is { Length: < 64 } bytes && IngressReply.Read(bytes).Kind == IngressReplyKind.Accepted;
        }
        catch (ProtocolException)
        {
            return false;
        }
    }

    private Task TellServingAsync(string instance, string instanceId, CancellationToken gone)
    {
        lock (_gate)
        {
            if (!_told.TryGetValue(instance, out (string Id, Task Told) last) || last.Id != instanceId)
            {
                if (_told.Count >= MostTold)
                {
                    _told.Clear(); // They are told again.
                }

                last = (instanceId, client.TellAsync(new IngressServing(instance, instanceId)));
                _told[instance] = last;
            }

            return last.Told.WaitAsync(gone); // Of others, too: who gives up ends it for nobody else.
        }
    }

    // Null where calls go alone.
    private InstanceStream? StreamTo(Route route)
    {
        if (alone.Has(route.Address) || _failed.Has(route.Address))
        {
            return null;
        }

        (string, string) key = (route.Address, route.InstanceId);
        lock (_gate)
        {
            if (_streams.TryGetValue(key, out InstanceStream? stream) && stream.Serves)
            {
                return stream;
            }

            stream?.Leave();
            _streams.Remove(key);
            foreach (((string, string) other, InstanceStream aged) in _streams.Where(static each => !each.Value.Serves).ToList())
            {
                aged.Leave();
                _streams.Remove(other);
            }

            return _streams.Count >= MostStreams ? null : _streams[key] = link.Open(route, headers, client.Room);
        }
    }

    private async Task<TryResult> TryAloneAsync(ForwardedCall call, Route route, TimeSpan wait, CancellationToken gone)
    {
        ReadOnlyMemory<byte> message = call.Body;
        TryResult result = await link.TryAsync(
            call with { Body = GrpcFrame.Of(output => output.Write(message.Span)) }, route, wait, gone);
        if (result.Answer is null)
        {
            return result;
        }

        using InstanceAnswer answer = result.Answer;
        await _reading.WaitAsync(gone); // One after the other, as on a stream: whole ones are in memory until the client takes them.
        try
        {
            await client.Room.WaitAsync(gone);
            return result with { Answer = null, Streamed = await LoneAnswer.ReadAsync(answer, wait + InstanceLink.Grace, time, gone) };
        }
        catch (Exception error) when (error is IOException or HttpRequestException or OperationCanceledException or ProtocolException)
        {
            gone.ThrowIfCancellationRequested();
            return new TryResult(TryOutcome.Broken, null, error.GetBaseException().Message);
        }
        finally
        {
            _reading.Release();
        }
    }
}
