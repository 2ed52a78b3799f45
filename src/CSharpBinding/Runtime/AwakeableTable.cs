using System.Text;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>Makes and completes the awakeables of one immortal (docs/internals/outside-calls.md X29).</summary>
internal sealed class AwakeableTable(ImmortalRuntime runtime)
{
    private const int LongestReason = 1000;

    /// <summary>
    /// By what they are named from the next record on: an input, as the records are. Null: nobody outside could complete one.
    /// </summary>
    public AwakeableKey? Key { get; set; }

    /// <summary>Opens one.</summary>
    /// <exception cref="InvalidOperationException">The instance has no address for calls from outside.</exception>
    public Awakeable<T> Open<T>(TimeSpan? deadline)
    {
        AwakeableKey key = Key ?? throw new InvalidOperationException(
            "Nobody could complete an awakeable: this instance has no address for calls from outside. Give its coordinator one "
            + "with --ingress (docs/guide/calls-from-outside.md#awakeables).");
        AwakeableType<T> type = AwakeableTypes.Required<T>();
        var cell = new AwakeableCell<T>();
        runtime.PendingCalls.NextNote = runtime.Clock.NoteOf(null, 0);
        long number = runtime.PendingCalls.Add(cell);
        if (deadline is { } time)
        {
            cell.EndAfter(time);
        }

        var id = AwakeableId.Make(key, runtime.Welcome.InstanceId, number, type.Id);
        return new Awakeable<T>(cell, id.ToString(), key.UrlOf(id));
    }

    /// <summary>Executes a message that completes one, and answers it. One that comes from elsewhere is a call of no method.</summary>
    public void Complete(in RpcHeader message)
    {
        if (!AwakeableCompletion.IsOne(message) || !AwakeableCompletion.TryRead(message.Body, out AwakeableCompletion done))
        {
            new IncomingCall(runtime, message).UnknownMethod();
            return;
        }

        var open = runtime.PendingCalls.Find(done.Number) as IPendingAwakeable;
        string? reason = open is null ? null : Complete(open, done);
        Destination caller = runtime.Destinations.Get(message.Caller);
        var origin = new CallOrigin(RpcKind.Async, message.MethodId, caller, message.CallNumber);
        byte said = open is not null ? AwakeableCompletion.Taken : AwakeableCompletion.NotOpen;
        runtime.Answers.Reply(origin, reason is not null ? Text(reason) : [said]);
    }

    // Null, or why it could not: then it is open still.
    private static string? Complete(IPendingAwakeable awakeable, in AwakeableCompletion done)
    {
        if (done.Form == AwakeableForm.Rejection)
        {
            awakeable.Fail(new AwakeableRejectedException(done.Reason));
            return null;
        }

        try
        {
            awakeable.Complete(done.Body.Span);
            return null;
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            return error.Message ?? ""; // An exception of the app's own may say nothing.
        }
    }

    // A message may hold anything, what somebody outside wrote included: half a surrogate pair, as where it is cut, has no UTF-8 form.
    private static byte[] Text(string reason)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(reason.Length > LongestReason ? reason[..LongestReason] : reason);
        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(bytes);
        writer.WriteUtf8(utf8);
        writer.Flush();
        return bytes.WrittenSpan.ToArray();
    }
}
