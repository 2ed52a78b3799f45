namespace Ambrosia.Serialization;

/// <summary>A value cannot be written as, or read from, MessagePack.</summary>
public sealed class MessagePackException : FormatException
{
    /// <summary>Made by writers and readers only.</summary>
    internal MessagePackException(MessagePackError error, long offset, string? subject, string problem)
        : base(subject is null ? $"{problem} (byte {offset})." : $"{subject}: {problem} (byte {offset}).")
    {
        Error = error;
        Offset = offset;
        Subject = subject;
    }

    /// <summary>What was wrong.</summary>
    public MessagePackError Error { get; }

    /// <summary>Bytes between the first byte given to the reader or writer and the offending value.</summary>
    public long Offset { get; }

    /// <summary>The parameter or member concerned, when known: <c>Deposit.amount</c>.</summary>
    public string? Subject { get; }
}
