using System.IO.Pipelines;
using System.Text;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.Sessions;

/// <summary>
/// A clean stop: the app asks to leave, the coordinator takes a checkpoint if one is due and says Goodbye, so that the next start has
/// nothing to execute again.
/// </summary>
internal sealed class LeaveTaking(TimeProvider time) : IDisposable
{
    private CancellationTokenSource? _limit;
    private Task? _asking;

    /// <summary>Cancelled when the time to wait for an answer is over; null before the app has asked.</summary>
    public CancellationToken? Limit => _limit?.Token;

    /// <summary>True once the coordinator has asked the app to leave.</summary>
    public bool IsAsked { get; set; }

    /// <summary>Asks, the first time. True while the answer is to be waited for.</summary>
    /// <param name="runtime">The immortal; null if the coordinator has not welcomed it.</param>
    /// <param name="actsOrFollows">False beside another app whose place this one was to take.</param>
    /// <param name="writer">Where the question goes.</param>
    /// <param name="input">Whose reader is woken when the time is over.</param>
    public bool IsWaiting(ImmortalRuntime? runtime, bool actsOrFollows, LinkWriter writer, PipeReader input)
    {
        if (_limit is not null)
        {
            return !_limit.IsCancellationRequested;
        }

        if (runtime is null || !actsOrFollows || (runtime.Welcome.Features & BindingFeatures.Farewell) == 0)
        {
            return false;
        }

        _limit = new CancellationTokenSource(runtime.EffectsDrain + Farewell.Longest, time);
        _limit.Token.UnsafeRegister(static pipe => ((PipeReader)pipe!).CancelPendingRead(), input);
        runtime.TellStopping();
        _asking = AskAsync(runtime, writer);
        return true;
    }

    /// <summary>Nothing more is read: waits for the effects that run, if the app leaves without having asked.</summary>
    /// <param name="leaving">
    /// The immortal that ends while the coordinator still listens, by itself or because it was asked to; null if the coordinator has let it
    /// go, or another app acts.
    /// </param>
    public async Task EndAsync(ImmortalRuntime? leaving)
    {
        await (_asking ?? leaving?.DrainEffectsAsync() ?? Task.CompletedTask);
    }

    // Effects first: what they bring belongs into the checkpoint. The app goes on reading meanwhile.
    private static async Task AskAsync(ImmortalRuntime runtime, LinkWriter writer)
    {
        await runtime.DrainEffectsAsync();
        try
        {
            writer.SubmitControl(BindingMessageType.Drain, Text("the app is stopping"));
        }
        catch (LinkClosedException)
        {
            // The reader sees it, too.
        }
    }

    /// <summary>A reason as a message carries it, cut if it is long.</summary>
    public static byte[] Text(string reason)
    {
        byte[] text = Encoding.UTF8.GetBytes(reason.Length > FrameLimits.HandshakeString / 4 ? reason[..(FrameLimits.HandshakeString / 4)]
            : reason);
        byte[] data = new byte[Varint.MaxSize32 + text.Length];
        int size = Varint.Write(data, (ulong)text.Length);
        text.CopyTo(data, size);
        return data[..(size + text.Length)];
    }

    /// <inheritdoc/>
    public void Dispose() => _limit?.Dispose();
}
