using System.Buffers;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// Tells how a handler ended: a reply to the caller, the outcome to the sender of an impulse from this process, a report for
/// all others.
/// </summary>
internal sealed class AnswerWriter(ImmortalRuntime runtime)
{
    private const int HeadSize = 2 + Varint.MaxSize32 + Varint.MaxSize64;
    private readonly ArrayBufferWriter<byte> _local = new();

    /// <summary>A handler without a result has ended.</summary>
    public void Done(in CallOrigin origin)
    {
        runtime.Telemetry.End();
        if (origin.Kind == RpcKind.Async)
        {
            int token = Begin(origin, RpcForm.Void);
            runtime.Page.EndMessage(token);
        }
        else if (TakeWaiter(origin) is { } waiter)
        {
            waiter.Complete(default);
        }
    }

    /// <summary>A handler with a result has ended.</summary>
    public void Done<T, TFormatter>(in CallOrigin origin, T value)
        where TFormatter : struct, IFormatter<T>
    {
        runtime.Telemetry.End();
        if (origin.Kind == RpcKind.Async)
        {
            Reply<T, TFormatter>(origin, value);
        }
        else if (TakeWaiter(origin) is { } waiter)
        {
            try
            {
                // Through bytes: the result may be part of the state, which no other thread may see.
                waiter.Complete(Encode<T, TFormatter>(value));
            }
            catch (Exception error) when (ProcessFailure.IsHandlers(error))
            {
                waiter.Fail(error); // The result cannot be encoded; the handler itself has done its work.
            }
        }
    }

    /// <summary>The runtime itself answers a call.</summary>
    public void Reply(in CallOrigin origin, ReadOnlySpan<byte> value)
    {
        int token = Begin(origin, RpcForm.Value);
        runtime.Page.Write(value);
        runtime.Page.EndMessage(token);
    }

    /// <summary>A handler has failed.</summary>
    /// <exception cref="HandlerFaultException">Nobody waits for it and the policy is to stop.</exception>
    public void Failed(in CallOrigin origin, Exception error)
    {
        runtime.Telemetry.End(error);
        ProcessFailure.ThrowIfNotHandlers(error); // A completed cell of a checkpoint may hold one.
        if (origin.Kind == RpcKind.Async)
        {
            int token = Begin(origin, RpcForm.Exception);
            bool withStack = !origin.Caller!.IsOutside;
            var writer = new MessagePackWriter(runtime.Page);
            if (SpeaksJson)
            {
                writer.WriteRaw(JsonForm.FromReply("exception", Encode(error, declared: null, withStack)));
            }
            else
            {
                ExceptionCodec.Write(ref writer, error, runtime.Exceptions, withStack);
            }

            writer.Flush();
            runtime.Page.EndMessage(token);
            return;
        }

        if (TakeWaiter(origin) is { } waiter)
        {
            waiter.Fail(ExceptionCodec.Read(Encode(error, runtime.Exceptions), runtime.Exceptions));
        }

        runtime.Faults.Report(origin.MethodId, error);
    }

    private void Reply<T, TFormatter>(in CallOrigin origin, T value)
        where TFormatter : struct, IFormatter<T>
    {
        int token = Begin(origin, RpcForm.Value);
        try
        {
            var writer = new MessagePackWriter(runtime.Page, runtime.Library);
            if (SpeaksJson)
            {
                writer.WriteRaw(JsonForm.FromReply("result", Encode<T, TFormatter>(value)));
            }
            else
            {
                default(TFormatter).Write(ref writer, value);
            }

            writer.Flush();
            runtime.Page.EndMessage(token);
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            // The result cannot be encoded: the caller is told that instead.
            runtime.Page.AbandonMessage();
            Failed(origin, error);
        }
    }

    private bool SpeaksJson => runtime.Immortal.GetContract().Encoding == WireEncoding.Json;

    private ReadOnlySpan<byte> Encode(Exception error, DeclaredExceptions? declared, bool withStack = true)
    {
        _local.ResetWrittenCount();
        var writer = new MessagePackWriter(_local);
        ExceptionCodec.Write(ref writer, error, declared, withStack);
        writer.Flush();
        return _local.WrittenSpan;
    }

    private ReadOnlySpan<byte> Encode<T, TFormatter>(T value)
        where TFormatter : struct, IFormatter<T>
    {
        _local.ResetWrittenCount();
        var writer = new MessagePackWriter(_local, runtime.Library);
        default(TFormatter).Write(ref writer, value);
        writer.Flush();
        return _local.WrittenSpan;
    }

    private int Begin(in CallOrigin origin, RpcForm form)
    {
        var page = runtime.Page;
        page.BeginMessage(runtime.TurnDestinations.IndexOf(origin.Caller!), HeadSize);
        Span<byte> span = page.GetSpan(HeadSize);
        span[0] = (byte)form;
        int size = 1 + Varint.WriteZigZag(span[1..], origin.MethodId);
        span[size++] = (byte)RpcKind.Fork;
        size += Varint.WriteZigZag(span[size..], origin.Number);
        page.Advance(size);
        return page.MessageToken;
    }

    private ImpulseWaiter? TakeWaiter(in CallOrigin origin) =>
        origin.Kind == RpcKind.Impulse && runtime.Impulses.TryTake(origin.Incarnation, origin.Number, out ImpulseWaiter? waiter) ? waiter
        : null;
}
