using System.Buffers;
using System.Text;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// Answers questions about the state, between two turns. A query is no turn: what it would send or wait for is refused, and what it
/// changes is noticed if that is looked for.
/// </summary>
internal sealed class QueryService(ImmortalRuntime runtime, CheckpointCodec codec, bool? checks)
{
    private const int LongestReason = 8000;
    private readonly bool _looks = checks ?? IsDebugBuild(runtime.Immortal.GetType());

    /// <summary>Answers one query.</summary>
    /// <param name="data">Data of the message.</param>
    /// <param name="reply">Takes the data of the reply.</param>
    /// <returns>Why this app must not go on with its state; null if it may.</returns>
    public StateChangedByQueryException? Answer(ReadOnlySpan<byte> data, IBufferWriter<byte> reply)
    {
        QueryRequest request = QueryRequest.Read(data);
        ImmortalMethod? method;
        ReadOnlySpan<byte> arguments;
        try
        {
            if (RpcHeader.Read(request.Rpc) is { Form: RpcForm.Call, MethodId: ReservedMethods.EffectNote } decision)
            {
                Decide(decision, request.Id, reply);
                return null;
            }

            if (RpcHeader.Read(request.Rpc) is { Form: RpcForm.Call, MethodId: ReservedMethods.Waiting })
            {
                Tell(request.Id, reply);
                return null;
            }

            method = Find(request.Rpc, out arguments);
        }
        catch (Exception error) when (error is MessagePackException or ProtocolException)
        {
            Refuse(reply, request.Id, QueryStatus.Failed, error.Message);
            return null;
        }

        if (method is null)
        {
            Refuse(reply, request.Id, QueryStatus.Unknown, Unknown());
            return null;
        }

        string before = _looks ? codec.ToJson(hashOnly: true) : "";
        QueryResult result = Run(method.Id, arguments);
        bool changed = _looks && codec.ToJson(hashOnly: true) != before;
        if (changed)
        {
            result.Fail(new StateChangedByQueryException(method.Name));
        }

        if (result.Error is { } failure)
        {
            Refuse(reply, request.Id, QueryStatus.Failed, failure is StateChangedByQueryException ? failure.Message
                : $"{failure.GetType().Name}: {failure.Message}");
        }
        else if (result.Value.Length > runtime.MaxMessageBytes)
        {
            Refuse(reply, request.Id, QueryStatus.Failed,
                $"the answer has {result.Value.Length} bytes, more than the coordinator accepts ({runtime.MaxMessageBytes}): ask for "
                + $"less, or raise --max-message-size");
        }
        else
        {
            QueryReply.Write(reply, request.Id, QueryStatus.Answered, result.Value);
        }

        return result.Error as StateChangedByQueryException;
    }

    // A person's decision instead of a question: it takes effect when it is read from the log.
    private void Decide(in RpcHeader decision, ulong id, IBufferWriter<byte> reply)
    {
        bool isDecision = EffectNote.TryRead(decision.Body, out EffectNote note)
            && note.Kind is EffectNoteKind.Run or EffectNoteKind.GivenUp;
        string? reason = isDecision ? runtime.Effects.Decide(note) : "that is no decision about an effect";
        if (reason is null)
        {
            QueryReply.Write(reply, id, QueryStatus.Answered, []);
        }
        else
        {
            Refuse(reply, id, QueryStatus.Failed, reason);
        }
    }

    // What it waits for is seen in the tables: no code of the app runs, so nothing can be changed that would have to be looked for.
    private void Tell(ulong id, IBufferWriter<byte> reply)
    {
        var told = new ArrayBufferWriter<byte>();
        WaitingReport.Of(runtime).Write(told);
        QueryReply.Write(reply, id, QueryStatus.Answered, told.WrittenSpan);
    }

    private QueryResult Run(int methodId, ReadOnlySpan<byte> arguments)
    {
        var result = new QueryResult();
        runtime.QueryMethod = methodId;
        using TurnScope scope = runtime.QueryTurn.Enter();
        try
        {
            var call = new IncomingCall(runtime, methodId, arguments, result);
            runtime.Immortal.InvokeDispatch(ref call);
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            result.Fail(error);
        }

        runtime.EndLogScopes();
        runtime.QueryTurn.ThrowIfEnded();
        return result;
    }

    // By its id; or by its name, for a caller that does not have the interface: [name, [arguments]].
    private ImmortalMethod? Find(ReadOnlySpan<byte> rpc, out ReadOnlySpan<byte> arguments)
    {
        RpcHeader call = RpcHeader.Read(rpc);
        IEnumerable<ImmortalMethod> queries = runtime.Immortal.GetContract().Methods.Where(static method => method.IsQuery);
        if (call.MethodId != ReservedMethods.QueryByName)
        {
            int id = call.MethodId;
            arguments = call.Body;
            return queries.FirstOrDefault(method => method.Id == id);
        }

        var reader = new MessagePackReader(call.Body) { Subject = "query" };
        reader.ReadArrayHeader(2);
        string name = reader.ReadString();
        arguments = reader.Remaining;
        int count = new MessagePackReader(arguments).ReadArrayHeader();
        return queries.Where(method => method.Name == name).OrderByDescending(method => method.ParameterCount == count).FirstOrDefault();
    }

    private string Unknown()
    {
        ImmortalContract contract = runtime.Immortal.GetContract();
        string[] names = [.. contract.Methods.Where(static method => method.IsQuery).Select(static method => method.Name)
            .Order(StringComparer.Ordinal)];
        return names.Length == 0 ? $"{contract.InterfaceName} has no method with [Query]"
            : $"the queries of {contract.InterfaceName} are {string.Join(", ", names)}";
    }

    private static void Refuse(IBufferWriter<byte> reply, ulong id, QueryStatus status, string reason) =>
        QueryReply.Write(reply, id, status, Encoding.UTF8.GetBytes(reason.Length > LongestReason ? reason[..LongestReason] : reason));

    /// <summary>Whether a class was built for debugging.</summary>
    internal static bool IsDebugBuild(Type immortal) =>
        immortal.Assembly.GetCustomAttributes(typeof(System.Diagnostics.DebuggableAttribute),
            inherit: false) is [System.Diagnostics.DebuggableAttribute { IsJITOptimizerDisabled: true }];
}
