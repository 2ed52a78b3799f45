using System.Buffers;
using System.ComponentModel;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia;

/// <summary>
/// Base of the generated classes through which a handler asks for effects. It may be kept in a field or in a local; it is saved as its
/// class.
/// </summary>
[NamedAfterInterface("Effects")]
public abstract class ImmortalEffects
{
    private DurableCancellation? _cancellation;

    [NotSaved]
    private CallRecorder? _recorder;

    /// <summary>What the interface offers; generated.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected abstract EffectContract Contract { get; }

    internal DurableCancellation? Cancellation
    {
        get => _cancellation;
        set => _cancellation = value;
    }

    /// <summary>Takes effects that are written down in place of being asked for.</summary>
    internal CallRecorder? Recorder
    {
        init
        {
            _recorder = value;
            _cancellation = DurableCancellation.Refusing(value!.Advice); // What is saved of it asks for nothing.
        }
    }

    internal EffectContract GetContract() => Contract;

    /// <summary>Begins a request whose arguments are written next. Generated code only.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler, or too many effects are pending.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected OutgoingCall BeginEffect()
    {
        IEffectRuntime runtime = Runtime();
        if (_recorder is not { IsOpen: true })
        {
            runtime.Effects.RequireRoom(Contract);
        }

        return new OutgoingCall(new ArrayBufferWriter<byte>(), runtime.Library);
    }

    /// <summary>Ends a request whose outcome carries a value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected DurableTask<T> EndEffect<T, TFormatter>(ref OutgoingCall call, int methodId)
        where TFormatter : struct, IFormatter<T>
    {
        var cell = new PendingCall<T, TFormatter>();
        End(ref call, methodId, cell);
        return cell.Task;
    }

    /// <summary>Ends a request whose outcome carries no value. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected DurableTask EndEffect(ref OutgoingCall call, int methodId)
    {
        var cell = new VoidPendingCall();
        End(ref call, methodId, cell);
        return cell.Task;
    }

    /// <summary>Ends a request for whose outcome nobody waits. Generated code only.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected void EndEffectFork(ref OutgoingCall call, int methodId) => End(ref call, methodId, null);

    private static IEffectRuntime Runtime() =>
        Turn.Current is { IsQuery: false, Owner: IEffectRuntime runtime } ? runtime : throw new InvalidOperationException(
        Turn.Current is null
            ? "Effects are asked for in handlers only: outside of one nothing is logged, so nothing could be repeated after a crash. Send "
                + "the immortal an impulse whose handler asks."
            : "A query only reads: it asks for no effects.");

    private void End(ref OutgoingCall call, int methodId, IPendingCall? cell)
    {
        call.Arguments.Flush();
        byte[] arguments = call.Scratch!.WrittenSpan.ToArray();
        if (_recorder is not { IsOpen: true } recorder)
        {
            _cancellation?.ThrowIfRefusing();
            Runtime().Effects.Ask(this, methodId, arguments, cell);
        }
        else if (cell is null)
        {
            recorder.Record(methodId, arguments);
        }
        else
        {
            throw new InvalidOperationException(recorder.Advice);
        }
    }
}
