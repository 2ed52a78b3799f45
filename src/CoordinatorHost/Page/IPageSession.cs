using Ambrosia.Protocol;

namespace Ambrosia.CoordinatorHost.Page;

/// <summary>A replay into a living app, which the page may ask to move. Calls wait for one another.</summary>
public interface IPageSession
{
    /// <summary>The message executed last, as 17:3, or the checkpoint that it began at.</summary>
    string At { get; }

    /// <summary>Carries out a command of the debugger; the answer is JSON.</summary>
    Task<byte[]> RunAsync(string command, CancellationToken cancellationToken);

    /// <summary>Goes there and tells what that message made: outputs, faults, the difference of the state. The answer is JSON.</summary>
    Task<byte[]> EffectAsync(MessagePosition message, CancellationToken cancellationToken);
}
