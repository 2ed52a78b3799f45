using System.Buffers;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia;

/// <summary>
/// Base of the generated proxies, through which an immortal sends messages to another one or to itself. It may be kept in a field or in a
/// local; it is saved as the name of its destination.
/// </summary>
[NamedAfterInterface("Proxy")]
public abstract class ImmortalProxy
{
    [NotSaved]
    private ImmortalRuntime? _runtime;

    [NotSaved]
    private Destination? _destination;

    [NotSaved]
    private CallRecorder? _recorder;

    /// <summary>Name of the instance; "" for the immortal itself.</summary>
    public string Destination => Target.Name;

    internal string? RequestedName { get; private set; }

    private ImmortalRuntime Runtime => _runtime ?? throw NotBound();

    private Destination Target => _destination ?? throw NotBound();

    /// <summary>True if calls are written down in place of being sent: nothing to be kept.</summary>
    internal bool IsRecording => _recorder is not null;

    internal bool IsSelf => Target.IsSelf;

    /// <summary>The immortal whose handler this is called from.</summary>
    internal ImmortalRuntime InTurn() => Sender();

    /// <summary>A proxy of the same destination whose forks are written down in place of being sent.</summary>
    internal T Recording<T>(CallRecorder recorder)
        where T : ImmortalProxy, new()
    {
        var proxy = new T();
        proxy.Bind(Runtime, Target, RequestedName!);
        proxy._recorder = recorder;
        return proxy;
    }

    internal void Bind(ImmortalRuntime runtime, Destination destination, string requestedName)
    {
        _runtime = runtime;
        _destination = destination;
        RequestedName = requestedName;
    }

    /// <summary>Begins a call whose reply will be awaited. Generated code only.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected OutgoingCall BeginCall(int methodId, int sizeHint)
    {
        ImmortalRuntime runtime = Sender();
        RequireSending();
        int token = runtime.Calls.BeginAsync(Target, methodId, sizeHint);
        return new OutgoingCall(new MessagePackWriter(runtime.Page, runtime.Library), token);
    }

    /// <summary>Ends a call whose reply carries a value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected DurableTask<T> EndCall<T, TFormatter>(ref OutgoingCall call)
        where TFormatter : struct, IFormatter<T>
    {
        call.Arguments.Flush();
        Runtime.Page.EndMessage(call.Token);
        var pending = new PendingCall<T, TFormatter>();
        Runtime.PendingCalls.Add(pending);
        return pending.Task;
    }

    /// <summary>Ends a call whose reply carries no value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected DurableTask EndCall(ref OutgoingCall call)
    {
        call.Arguments.Flush();
        Runtime.Page.EndMessage(call.Token);
        var pending = new VoidPendingCall();
        Runtime.PendingCalls.Add(pending);
        return pending.Task;
    }

    /// <summary>Begins a message that is not answered. Generated code only.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected OutgoingCall BeginFork(int methodId, int sizeHint)
    {
        ImmortalRuntime runtime = Sender();
        if (_recorder is not null)
        {
            return new OutgoingCall(new ArrayBufferWriter<byte>(), runtime.Library, methodId);
        }

        int token = runtime.Calls.BeginFork(Target, methodId, sizeHint);
        return new OutgoingCall(new MessagePackWriter(runtime.Page, runtime.Library), token);
    }

    /// <summary>Ends a message that is not answered. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void EndFork(ref OutgoingCall call)
    {
        call.Arguments.Flush();
        if (_recorder is { } recorder)
        {
            recorder.Record(call.Token, call.Scratch!.WrittenSpan.ToArray());
            return;
        }

        Runtime.Page.EndMessage(call.Token);
    }

    /// <summary>Begins a call or a fork whose arguments travel as JSON. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected OutgoingCall BeginJson()
    {
        return new OutgoingCall(new ArrayBufferWriter<byte>(), Sender().Library);
    }

    /// <summary>Ends a call whose arguments travel as JSON and whose reply carries a value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected DurableTask<T> EndJsonCall<T, TFormatter>(ref OutgoingCall call, int methodId, params string[] parameters)
        where TFormatter : struct, IFormatter<T>
    {
        OutgoingCall sent = Send(ref call, methodId, parameters, answered: true);
        return EndCall<T, TFormatter>(ref sent);
    }

    /// <summary>Ends a call whose arguments travel as JSON and whose reply carries no value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected DurableTask EndJsonCall(ref OutgoingCall call, int methodId, params string[] parameters)
    {
        OutgoingCall sent = Send(ref call, methodId, parameters, answered: true);
        return EndCall(ref sent);
    }

    /// <summary>Ends a fork whose arguments travel as JSON. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected void EndJsonFork(ref OutgoingCall call, int methodId, params string[] parameters)
    {
        OutgoingCall sent = Send(ref call, methodId, parameters, answered: false);
        EndFork(ref sent);
    }

    private OutgoingCall Send(ref OutgoingCall call, int methodId, string[] parameters, bool answered)
    {
        call.Arguments.Flush();
        byte[] arguments = JsonForm.FromArguments(call.Scratch!.WrittenSpan, parameters);
        OutgoingCall sent = answered ? BeginCall(methodId, arguments.Length) : BeginFork(methodId, arguments.Length);
        sent.Arguments.WriteRaw(arguments);
        return sent;
    }

    /// <summary>Begins an impulse; from any thread. Generated code only.</summary>
    /// <exception cref="InvalidOperationException">Called from a handler, or before this process acts for the immortal.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected OutgoingCall BeginImpulse(int methodId, int sizeHint)
    {
        RequireSending();
        ImpulseScratch scratch = ImpulseScratch.Begin(Runtime, methodId, sizeHint);
        return new OutgoingCall(new MessagePackWriter(scratch, Runtime.Library), scratch.Token);
    }

    /// <summary>Ends an impulse without a result. Generated code only.</summary>
    /// <returns>To the immortal itself: ends with the handler. To another one: ends when the impulse is buffered.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task EndImpulse(ref OutgoingCall call)
    {
        call.Arguments.Flush();
        ImpulseScratch scratch = ImpulseScratch.End(call.Token);
        if (!Target.IsSelf)
        {
            return scratch.Send(Runtime, Target);
        }

        var waiter = new VoidImpulseWaiter();
        scratch.SendToSelf(Runtime, waiter);
        return waiter.Task;
    }

    /// <summary>Ends an impulse without a result whose arguments travel to others as JSON. Generated code only.</summary>
    /// <returns>To the immortal itself: ends with the handler. To another one: ends when the impulse is buffered.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task EndJsonImpulse(ref OutgoingCall call, params string[] parameters)
    {
        if (Target.IsSelf)
        {
            return EndImpulse(ref call);
        }

        call.Arguments.Flush();
        return ImpulseScratch.End(call.Token).SendAsJson(Runtime, Target, parameters);
    }

    /// <summary>Ends an impulse with a result whose arguments travel to others as JSON. Generated code only.</summary>
    /// <returns>The handler's result.</returns>
    /// <exception cref="InvalidOperationException">It is addressed to another immortal, whose results never come here. Nothing was
    /// sent.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task<T> EndJsonImpulse<T, TFormatter>(ref OutgoingCall call, params string[] parameters)
        where TFormatter : struct, IFormatter<T>
    {
        _ = parameters; // It can be for the immortal itself only, which reads its own form.
        return EndImpulse<T, TFormatter>(ref call);
    }

    /// <summary>Ends an impulse with a result. Generated code only.</summary>
    /// <returns>The handler's result.</returns>
    /// <exception cref="InvalidOperationException">It is addressed to another immortal, whose results never come here. Nothing was
    /// sent.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected Task<T> EndImpulse<T, TFormatter>(ref OutgoingCall call)
        where TFormatter : struct, IFormatter<T>
    {
        call.Arguments.Flush();
        ImpulseScratch scratch = ImpulseScratch.End(call.Token);
        if (!Target.IsSelf)
        {
            throw new InvalidOperationException(
                $"An impulse to '{Target.Name}' has no result here: what its handler returns stays there. "
                    + "Declare the method without a result, or let a handler of this immortal call it.");
        }

        var waiter = new ImpulseWaiter<T, TFormatter>(Runtime.Library);
        scratch.SendToSelf(Runtime, waiter);
        return waiter.Task;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ImmortalRuntime Sender()
    {
        ImmortalRuntime? runtime = _runtime;
        if (runtime is null || !runtime.IsInTurn)
        {
            throw OutsideTurn();
        }

        return runtime;
    }

    private void RequireSending()
    {
        if (_recorder is { } recorder)
        {
            throw new InvalidOperationException(recorder.Advice);
        }
    }

    private InvalidOperationException OutsideTurn() => _runtime is null ? NotBound() : new InvalidOperationException(_runtime.IsInQuery
        ? $"A query only reads: it sends {GetType().Name} nothing."
        : $"Calls and forks are sent from handlers only: outside of one nothing is logged, so nothing could be repeated after a crash. "
        + $"Send {GetType().Name} an impulse instead.");

    private InvalidOperationException NotBound() => new(
        $"This {GetType().Name} belongs to no running immortal: get it from Proxy<{GetType().Name}>(name) or This inside the immortal.");
}
