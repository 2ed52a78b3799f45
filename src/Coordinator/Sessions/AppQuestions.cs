using System.Text;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>The questions to an app, for its state or a query, and after which record each went out.</summary>
/// <param name="converses">False if the app can be asked nothing.</param>
/// <param name="send">Sends a message between two records, and tells behind which.</param>
/// <param name="lastWithMessages">The last record with messages that was sent: what a query is answered by.</param>
/// <param name="acts">Whether the app has come to the end of its log.</param>
internal sealed class AppQuestions(
    bool converses, Action<BindingMessageType, byte[], Action<Lsn>?> send, Func<Lsn> lastWithMessages, Func<bool> acts)
{
    /// <summary>Queries that may wait at once.</summary>
    public const int MostQueries = 1000;

    private readonly Dictionary<ulong, (TaskCompletionSource<AppState> Told, Lsn Lsn)> _states = [];
    private readonly Dictionary<ulong, (TaskCompletionSource<AppAnswer> Told, Lsn Lsn)> _queries = [];
    private readonly List<(AppQuery Query, TaskCompletionSource<AppAnswer> Told)> _waiting = [];
    private ulong _last;
    private Lsn _done;
    private bool _ended;

    private InvalidOperationException? Hindrance =>
        _ended ? Gone() : converses ? null
        : new InvalidOperationException("The app speaks the published protocol, which has no message for that.");

    /// <summary>Asks for the state.</summary>
    public void RequestState(bool hashOnly, TaskCompletionSource<AppState> told)
    {
        if (Hindrance is { } hindrance)
        {
            told.TrySetException(hindrance);
            return;
        }

        ulong id = ++_last;
        byte[] data = new byte[Varint.MaxSize64 + 1];
        int size = Varint.Write(data, id);
        data[size++] = hashOnly ? (byte)1 : (byte)0;
        _states[id] = (told, Lsn.None);
        send(BindingMessageType.StateRequest, data[..size], lsn => _states[id] = (told, lsn));
    }

    /// <summary>Asks a query as soon as the record that it wants has been executed.</summary>
    public void Ask(AppQuery query, TaskCompletionSource<AppAnswer> told)
    {
        if (Hindrance is { } hindrance)
        {
            told.TrySetException(hindrance);
        }
        else if (_queries.Count + _waiting.Count >= MostQueries && !Forget())
        {
            told.TrySetException(new InvalidOperationException($"{MostQueries} queries wait already."));
        }
        else if (MayAsk(query))
        {
            Send(query, told);
        }
        else
        {
            ForgetWaiting();
            _waiting.Add((query, told));
        }
    }

    /// <summary>Everything up to this record has been executed.</summary>
    public void Moved(Lsn done)
    {
        _done = done;
        for (int i = 0; i < _waiting.Count;)
        {
            (AppQuery query, TaskCompletionSource<AppAnswer> told) = _waiting[i];
            if (!MayAsk(query))
            {
                i++;
                continue;
            }

            _waiting.RemoveAt(i);
            Send(query, told);
        }
    }

    /// <summary>The app has come to the end of its log.</summary>
    public void Acts() => Moved(_done);

    /// <summary>The app told its state; an answer to no question is ignored.</summary>
    public void StateTold(byte[] data)
    {
        var reader = new ByteReader(data);
        if (_states.Remove(reader.ReadVarint("state request id"), out (TaskCompletionSource<AppState> Told, Lsn Lsn) question))
        {
            question.Told.TrySetResult(new AppState(question.Lsn.Value, Encoding.UTF8.GetString(reader.Rest)));
        }
    }

    /// <summary>The app answered a query; an answer to no question is ignored.</summary>
    /// <exception cref="ProtocolException">It is no answer.</exception>
    public void Answered(byte[] data)
    {
        QueryReply reply = QueryReply.Read(data);
        if (_queries.Remove(reply.Id, out (TaskCompletionSource<AppAnswer> Told, Lsn Lsn) question))
        {
            question.Told.TrySetResult(new AppAnswer(question.Lsn.Value, reply.Status, reply.Body.ToArray()));
        }
    }

    /// <summary>The app is gone: what waits is told, and what asks while its end is still being judged.</summary>
    public void End()
    {
        _ended = true;
        InvalidOperationException gone = Gone();
        foreach ((TaskCompletionSource<AppState> told, _) in _states.Values)
        {
            told.TrySetException(gone);
        }

        foreach (TaskCompletionSource<AppAnswer> told in _queries.Values.Select(static query => query.Told)
            .Concat(_waiting.Select(static query => query.Told)))
        {
            told.TrySetException(gone);
        }

        _states.Clear();
        _queries.Clear();
        _waiting.Clear();
    }

    private static NotServingException Gone() => new("the app left before it answered");

    private bool MayAsk(AppQuery query) => _done.Value >= query.AtLeast && (!query.OfPresent || acts());

    private void Send(AppQuery query, TaskCompletionSource<AppAnswer> told)
    {
        if (told.Task.IsCompleted)
        {
            return; // The caller has given up.
        }

        ulong id = ++_last;
        _queries[id] = (told, Lsn.None);
        send(BindingMessageType.Query, QueryRequest.Write(id, query.Rpc), _ => _queries[id] = (told, lastWithMessages()));
    }

    // Of callers that gave up, with their arguments.
    private void ForgetWaiting() => _waiting.RemoveAll(static query => query.Told.Task.IsCompleted);

    // Of callers that gave up; a binding that knows no queries never answers. True if that made room.
    private bool Forget()
    {
        foreach (ulong id in _queries.Where(static query => query.Value.Told.Task.IsCompleted).Select(static query => query.Key).ToList())
        {
            _queries.Remove(id);
        }

        ForgetWaiting();
        return _queries.Count + _waiting.Count < MostQueries;
    }
}
