using System.Text;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>
/// A fork or an impulse has no caller that could be told of its failure: it is told to the coordinator and to the log, counted, and by
/// policy ends the app.
/// </summary>
internal sealed class FaultReporter(ImmortalRuntime runtime, FaultPolicy policy)
{
    private const int LongestText = 2000;

    /// <summary>Failures since the connection began, replayed ones included.</summary>
    public long Count { get; private set; }

    /// <summary>Reports the failure of a handler that nobody waits for.</summary>
    /// <exception cref="HandlerFaultException">The policy is to stop.</exception>
    public void Report(int methodId, Exception error) => Report(methodId, runtime.Immortal.GetContract().NameOf(methodId), error);

    /// <summary>Reports the failure of something that nobody waits for.</summary>
    /// <exception cref="HandlerFaultException">The policy is to stop.</exception>
    public void Report(int methodId, string method, Exception error)
    {
        Count++;
        string position = $"{runtime.Clock.Lsn}:{runtime.Clock.Index}";
        byte[] message = Encode(methodId, $"{method}: {error.GetType().FullName}: {error.Message}");
        if (policy == FaultPolicy.Stop)
        {
            runtime.Writer.EnqueueOfTurn(BindingMessageType.HandlerFault, message); // Leaves with the goodbye.
            throw new HandlerFaultException(position, method, error);
        }

        if (runtime.Welcome.Mode == BindingMode.Debug)
        {
            runtime.Page.WriteControl(BindingMessageType.HandlerFault, message); // A replay shows it, too; it was logged when it happened.
        }
        else if (!runtime.IsReplaying)
        {
            runtime.Page.WriteControl(BindingMessageType.HandlerFault, message);
            using IDisposable? scope = runtime.HostLog.BeginScope(runtime.Scope);
            BindingLog.HandlerFailed(runtime.HostLog, method, position, error.GetType().FullName ?? error.GetType().Name, error.Message,
                UserFrames.Of(error));
            BindingLog.HandlerFailedAt(runtime.HostLog, method, position, error);
        }
    }

    private byte[] Encode(int methodId, string text)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text.Length > LongestText ? text[..LongestText] : text);
        byte[] data = new byte[(3 * Varint.MaxSize64) + Varint.MaxSize32 + utf8.Length];
        int size = Varint.Write(data, runtime.Clock.Lsn);
        size += Varint.Write(data.AsSpan(size), (ulong)runtime.Clock.Index);
        size += Varint.WriteZigZag(data.AsSpan(size), methodId);
        size += Varint.Write(data.AsSpan(size), (ulong)utf8.Length);
        utf8.CopyTo(data, size);
        return data[..(size + utf8.Length)];
    }
}
