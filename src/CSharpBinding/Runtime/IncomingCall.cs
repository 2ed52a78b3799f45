using System.ComponentModel;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// A call, fork or impulse that is being handled; generated dispatch code decodes its arguments and hands over what the handler returned.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct IncomingCall
{
    private readonly ImmortalRuntime _runtime;
    private readonly ReadOnlySpan<byte> _caller;
    private readonly ReadOnlySpan<byte> _body;
    private readonly long _callNumber;
    private readonly QueryResult? _query;

    internal IncomingCall(ImmortalRuntime runtime, in RpcHeader message)
    {
        _runtime = runtime;
        _caller = message.Caller;
        _body = message.Body;
        _callNumber = message.CallNumber;
        Kind = message.Kind;
        MethodId = message.MethodId;
    }

    internal IncomingCall(ImmortalRuntime runtime, int methodId, ReadOnlySpan<byte> arguments, QueryResult query)
    {
        _runtime = runtime;
        _body = arguments;
        _query = query;
        Kind = RpcKind.Fork;
        MethodId = methodId;
    }

    /// <summary>The method called.</summary>
    public int MethodId { get; }

    /// <summary>How it was sent.</summary>
    public RpcKind Kind { get; }

    /// <summary>
    /// The encoded arguments: a MessagePack array; bytes behind it are not arguments. Other bindings may send nothing, or raw bytes.
    /// </summary>
    public MessagePackReader Arguments => new(JsonForm.Arguments(_body), _runtime.Library);

    /// <summary>The same, or a JSON object with the parameters' names.</summary>
    public MessagePackReader JsonArguments(params string[] parameters) =>
        new(JsonForm.Arguments(_body, parameters), _runtime.Library);

    /// <summary>What waits in this process for the outcome of an impulse; null if nothing does.</summary>
    internal ImpulseWaiter? WaiterHere
    {
        get
        {
            if (Kind != RpcKind.Impulse || _query is not null)
            {
                return null;
            }

            (ulong incarnation, long number) = ImpulseWaiters.Read(Token());
            return _runtime.Impulses.Find(incarnation, number);
        }
    }

    /// <summary>Takes what a handler without a result returned.</summary>
    public void Complete(DurableTask task)
    {
        if (_query is not null)
        {
            _query.Take(task);
            return;
        }

        CallOrigin origin = Origin();
        if (task.IsCompletedSuccessfully)
        {
            _runtime.Answers.Done(origin);
        }
        else if (task.IsFaulted)
        {
            _runtime.Answers.Failed(origin, task.Exception!);
        }
        else
        {
            Suspend(new HandlerDone(origin)).Await(task);
        }
    }

    /// <summary>Takes what a handler with a result returned.</summary>
    public void Complete<T, TFormatter>(DurableTask<T> task)
        where TFormatter : struct, IFormatter<T>
    {
        if (_query is not null)
        {
            _query.Take<T, TFormatter>(task, _runtime.Library);
            return;
        }

        CallOrigin origin = Origin();
        if (task.IsCompletedSuccessfully)
        {
            _runtime.Answers.Done<T, TFormatter>(origin, task.Result);
        }
        else if (task.IsFaulted)
        {
            _runtime.Answers.Failed(origin, task.Exception!);
        }
        else
        {
            Suspend(new HandlerDone<T, TFormatter>(origin)).Await(task);
        }
    }

    /// <summary>The interface has no such method: its caller is told so.</summary>
    public void UnknownMethod()
    {
        if (_query is null)
        {
            _runtime.Telemetry.BeginUnknown(MethodId);
        }

        Fail(new MissingMethodException(
            $"{_runtime.Immortal.GetContract().InterfaceName} has no method with id {MethodId}: caller and immortal were built from "
            + $"different versions of it."));
    }

    internal void Fail(Exception error)
    {
        if (_query is not null)
        {
            _query.Fail(error);
            return;
        }

        _runtime.Answers.Failed(Origin(), error);
    }

    private THandler Suspend<THandler>(THandler continuation)
        where THandler : ReplyContinuation
    {
        _runtime.Telemetry.Suspend(continuation);
        return continuation;
    }

    private CallOrigin Origin() => Kind switch
    {
        RpcKind.Async => new CallOrigin(Kind, MethodId, _runtime.Destinations.Get(_caller), _callNumber),
        RpcKind.Impulse => ImpulseOrigin(),
        _ => new CallOrigin(Kind, MethodId, null, 0),
    };

    private CallOrigin ImpulseOrigin()
    {
        (ulong incarnation, long number) = ImpulseWaiters.Read(Token());
        return new CallOrigin(Kind, MethodId, null, number, incarnation);
    }

    // What this binding put behind the arguments of its own impulse, if it was its own.
    private ReadOnlySpan<byte> Token()
    {
        if (_body.Length < ImpulseWaiters.TokenSize)
        {
            return default;
        }

        try
        {
            var arguments = new MessagePackReader(_body);
            arguments.Skip();
            return arguments.Remaining;
        }
        catch (MessagePackException)
        {
            return default; // Undecodable arguments: the dispatch has said so already, and nobody can be found to be told.
        }
    }
}
