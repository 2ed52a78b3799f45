using System.Buffers;
using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Context;

/// <summary>
/// Watches messages on their way through the coordinator. Called on the core's context, and only looks: nothing waits for it, and nothing
/// depends on it.
/// </summary>
public interface IMessageTracer
{
    /// <summary>A stamp for what begins now.</summary>
    long Now { get; }

    /// <summary>The instance with this identity appends to its log from here on; what was admitted before is not logged any more.</summary>
    void Serves(Guid instanceId);

    /// <summary>Messages of one input lie in a page of the log.</summary>
    /// <param name="sender">Name of the input.</param>
    /// <param name="messages">How many.</param>
    /// <param name="arrived">What <see cref="Now"/> was when they came.</param>
    void Admitted(string sender, int messages, long arrived);

    /// <summary>A record that this process has made is durable; its messages are the oldest that were admitted and not logged.</summary>
    /// <param name="lsn">The record.</param>
    /// <param name="payload">Its messages.</param>
    /// <param name="messages">How many.</param>
    void Logged(Lsn lsn, ReadOnlySpan<byte> payload, int messages);

    /// <summary>A record that is no replay is handed to the app.</summary>
    void Delivered(Lsn lsn);

    /// <summary>Messages of the app lie in the buffer of their destination.</summary>
    /// <param name="destination">Name of the other instance.</param>
    /// <param name="last">Number of the last of them.</param>
    /// <param name="messages">The messages.</param>
    void Sent(string destination, ulong last, in ReadOnlySequence<byte> messages);

    /// <summary>The destination has everything up to this number on stable storage.</summary>
    void Confirmed(string destination, ulong number);
}
