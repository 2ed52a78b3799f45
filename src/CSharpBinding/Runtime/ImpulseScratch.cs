using System.Buffers;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>Where one thread writes one impulse, so that no lock is held while user code writes its arguments.</summary>
internal sealed class ImpulseScratch : IBufferWriter<byte>
{
    private const int LargestKept = 1 << 20;

    [ThreadStatic]
    private static ImpulseScratch? t_scratch;

    private ArrayBufferWriter<byte> _message = new(256);
    private int _head; // Bytes before the arguments.

    /// <summary>Identifies the open impulse, so that a nested one is noticed.</summary>
    public int Token { get; private set; }

    /// <summary>Starts an impulse on this thread.</summary>
    /// <exception cref="InvalidOperationException">From a handler, or before this process acts (G2, exactly-once.md H11).</exception>
    public static ImpulseScratch Begin(ImmortalRuntime runtime, int methodId, int sizeHint)
    {
        if (Turn.Current is not null)
        {
            throw new InvalidOperationException(
                "An impulse cannot be sent from a handler, where it would be sent again at every replay: use a call or a fork.");
        }

        if (!runtime.IsPrimary)
        {
            throw new InvalidOperationException(
                "No impulse can be sent now: this process does not act for the immortal (before BecomingPrimary, or after it "
                + "has stopped).");
        }

        ImpulseScratch scratch = t_scratch ??= new ImpulseScratch();
        scratch.Token++;
        scratch.Reset();
        Span<byte> head = scratch._message.GetSpan(sizeHint + 2 + Varint.MaxSize32 + ImpulseWaiters.TokenSize);
        scratch._head = RpcHeader.WriteCall(head, methodId, RpcKind.Impulse);
        scratch._message.Advance(scratch._head);
        return scratch;
    }

    /// <summary>The scratch of this thread, with the impulse that has this token complete.</summary>
    public static ImpulseScratch End(int token)
    {
        ImpulseScratch? scratch = t_scratch;
        return scratch?.Token == token ? scratch
            : throw new InvalidOperationException("Another impulse was begun while the arguments of this one were being written.");
    }

    /// <inheritdoc/>
    public void Advance(int count) => _message.Advance(count);

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0) => _message.GetMemory(sizeHint);

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0) => _message.GetSpan(sizeHint);

    /// <summary>Sends it to another immortal.</summary>
    public Task Send(ImmortalRuntime runtime, Destination destination)
    {
        CheckSize(runtime);
        return runtime.Writer.SubmitImpulse(destination, _message.WrittenSpan);
    }

    /// <summary>Sends it to another immortal with its arguments as JSON.</summary>
    public Task SendAsJson(ImmortalRuntime runtime, Destination destination, string[] parameters)
    {
        byte[] head = _message.WrittenSpan[.._head].ToArray();
        byte[] arguments = JsonForm.FromArguments(_message.WrittenSpan[_head..], parameters);
        _message.ResetWrittenCount();
        _message.Write(head);
        _message.Write(arguments);
        return Send(runtime, destination);
    }

    /// <summary>Sends it to the immortal itself, with a token by which the waiter is found.</summary>
    public void SendToSelf(ImmortalRuntime runtime, ImpulseWaiter waiter)
    {
        CheckSize(runtime);
        ulong number = runtime.Impulses.Add(waiter, _message.GetSpan(ImpulseWaiters.TokenSize));
        _message.Advance(ImpulseWaiters.TokenSize);
        try
        {
            _ = runtime.Writer.SubmitImpulse(runtime.Self, _message.WrittenSpan);
        }
        catch (LinkClosedException)
        {
            runtime.Impulses.Remove(number);
            throw;
        }
    }

    private void CheckSize(ImmortalRuntime runtime)
    {
        if (_message.WrittenCount + ImpulseWaiters.TokenSize > runtime.MaxMessageBytes)
        {
            throw new InvalidOperationException(
                $"An impulse of {_message.WrittenCount} bytes is larger than the coordinator accepts ({runtime.MaxMessageBytes}): split "
                + $"it, or raise --max-message-size.");
        }
    }

    private void Reset()
    {
        if (_message.Capacity > LargestKept)
        {
            _message = new ArrayBufferWriter<byte>(256);
        }

        _message.ResetWrittenCount();
    }
}
