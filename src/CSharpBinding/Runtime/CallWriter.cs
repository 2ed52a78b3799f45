using System.Runtime.CompilerServices;
using System.Text;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Begins outgoing messages: writes what precedes their arguments into the page.</summary>
internal sealed class CallWriter
{
    private readonly ImmortalRuntime _runtime;
    private readonly byte[] _caller;

    public CallWriter(ImmortalRuntime runtime)
    {
        _runtime = runtime;
        byte[] name = Encoding.UTF8.GetBytes(runtime.Welcome.Instance);
        byte[] prefix = new byte[Varint.MaxSize32 + name.Length];
        int size = Varint.WriteZigZag(prefix, name.Length);
        name.CopyTo(prefix, size);
        _caller = prefix[..(size + name.Length)];
    }

    /// <summary>Begins a call that is answered under the number that the next pending call gets; returns the message's token.</summary>
    public int BeginAsync(Destination destination, int methodId, int sizeHint)
    {
        Failpoint.Pass("B2");
        var page = _runtime.Page;
        int head = 2 + Varint.MaxSize32 + _caller.Length + Varint.MaxSize64;
        page.BeginMessage(_runtime.TurnDestinations.IndexOf(destination), sizeHint + head);
        Span<byte> span = page.GetSpan(head);
        int size = RpcHeader.WriteCall(span, methodId, RpcKind.Async);
        _caller.CopyTo(span[size..]);
        size += _caller.Length;
        size += Varint.WriteZigZag(span[size..], _runtime.PendingCalls.NextNumber);
        page.Advance(size);
        _runtime.PendingCalls.NextNote = _runtime.Clock.NoteOf(destination.Name, methodId);
        _runtime.Telemetry.Calls(destination, methodId, _runtime.PendingCalls.NextNumber);
        return page.MessageToken;
    }

    /// <summary>Begins a message that is not answered; returns its token.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int BeginFork(Destination destination, int methodId, int sizeHint)
    {
        Failpoint.Pass("B2");
        var page = _runtime.Page;
        const int head = RpcHeader.LargestCall;
        page.BeginMessage(_runtime.TurnDestinations.IndexOf(destination), sizeHint + head);
        page.Advance(RpcHeader.WriteCall(page.GetSpan(head), methodId, RpcKind.Fork));
        return page.MessageToken;
    }
}
