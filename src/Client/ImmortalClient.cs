using System.ComponentModel;
using System.Runtime.CompilerServices;
using Ambrosia.Protocol.Ingress;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.Client;

/// <summary>Base of the generated clients, through which an ordinary process calls an immortal. Used by several threads at once.</summary>
public abstract class ImmortalClient
{
    private CallSender? _sender;
    private CallKey? _key;

    /// <summary>Name of the immortal that is called.</summary>
    public string Instance => Sender.Instance;

    private CallSender Sender => _sender ?? throw new InvalidOperationException(
        $"This {GetType().Name} belongs to no client: get it from AmbrosiaClient.Get<{GetType().Name}>(name).");

    internal void Bind(CallSender sender, CallKey? key) => (_sender, _key) = (sender, key);

    /// <summary>One of the same immortal, whose next call has a key of yours.</summary>
    private protected T With<T>(CallKey key)
        where T : ImmortalClient, new()
    {
        var other = new T();
        other.Bind(Sender, key);
        return other;
    }

    /// <summary>Begins a call. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected OutgoingCall Begin(int sizeHint) => Sender.Codec.Begin(sizeHint);

    /// <summary>Ends a call whose answer is a value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task<T> EndCall<T, TFormatter>(ref OutgoingCall call, int methodId, string method, CancellationToken stop)
        where TFormatter : struct, IFormatter<T> =>
        ResultAsync<T, TFormatter>(SendAsync(ref call, methodId, method, sends: false, stop), method);

    /// <summary>Ends a call whose answer is no value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task EndCall(ref OutgoingCall call, int methodId, string method, CancellationToken stop) =>
        DoneAsync(SendAsync(ref call, methodId, method, sends: false, stop));

    /// <summary>Ends a call whose answer nobody waits for. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task EndSend(ref OutgoingCall call, int methodId, string method, CancellationToken stop) =>
        SendAsync(ref call, methodId, method, sends: true, stop);

    /// <summary>Ends a query. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task<T> EndQuery<T, TFormatter>(ref OutgoingCall call, int methodId, string method, CancellationToken stop)
        where TFormatter : struct, IFormatter<T> =>
        AnswerAsync<T, TFormatter>(new IngressQueryRequest(
            Sender.Instance, method, methodId, IngressForm.MessagePack, CallerCodec.End(ref call), 0), stop);

    /// <summary>Begins to watch a query. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected IAsyncEnumerable<T> EndWatch<T, TFormatter>(ref OutgoingCall call, int methodId, string method, CancellationToken stop)
        where TFormatter : struct, IFormatter<T> =>
        WatchAsync<T, TFormatter>(new IngressQueryRequest(
            Sender.Instance, method, methodId, IngressForm.MessagePack, CallerCodec.End(ref call), 0), stop);

    private async IAsyncEnumerable<T> WatchAsync<T, TFormatter>(
        IngressQueryRequest query, [EnumeratorCancellation] CancellationToken stop)
        where TFormatter : struct, IFormatter<T>
    {
        await foreach (IngressQueryReply reply in Sender.WatchAsync(query, stop).ConfigureAwait(false))
        {
            yield return Sender.Codec.Read<T, TFormatter>(reply.Result.Span);
        }
    }

    private async Task<T> AnswerAsync<T, TFormatter>(IngressQueryRequest query, CancellationToken stop)
        where TFormatter : struct, IFormatter<T> =>
        Sender.Codec.Read<T, TFormatter>((await Sender.QueryAsync(query, stop).ConfigureAwait(false)).Result.Span);

    private Task<IngressReply> SendAsync(ref OutgoingCall call, int methodId, string method, bool sends, CancellationToken stop)
    {
        var request = new IngressCallRequest(
            Sender.Instance, method, methodId, null, IngressForm.MessagePack, CallerCodec.End(ref call));
        return Sender.SendAsync(request, _key, sends, stop);
    }

    private async Task<T> ResultAsync<T, TFormatter>(Task<IngressReply> sending, string method)
        where TFormatter : struct, IFormatter<T>
    {
        IngressReply reply = await sending.ConfigureAwait(false);
        Require(reply);
        return reply.Kind == IngressReplyKind.MessagePack ? Sender.Codec.Read<T, TFormatter>(reply.Bytes.Span)
            : throw new InvalidDataException(
                $"{method} of {Instance} gives nothing back: caller and immortal were built from different versions.");
    }

    private async Task DoneAsync(Task<IngressReply> sending) => Require(await sending.ConfigureAwait(false));

    private void Require(IngressReply reply)
    {
        if (reply.Kind == IngressReplyKind.Exception)
        {
            throw CallerCodec.ReadException(reply.Bytes.Span, GetType());
        }
    }
}
