namespace Ambrosia.Serialization;

/// <summary>A value cannot be written as, or read from, MessagePack.</summary>
public sealed class MessagePackException : FormatException
{
    /// <summary>Made by writers and readers only.</summary>
    internal MessagePackException(MessagePackError error, long offset, string? subject, string problem, Exception? inner = null)
        : base(subject is null ? $"{problem} (byte {offset})." : $"{subject}: {problem} (byte {offset}).", inner)
    {
        Error = error;
        Offset = offset;
        Subject = subject;
    }

    /// <summary>What was wrong.</summary>
    public MessagePackError Error { get; }

    /// <summary>Code of this failure in errors.md; null for bytes that are damaged or of another version.</summary>
    public string? Code => Error switch
    {
        MessagePackError.UnexpectedNull => ArgumentErrors.NullValue.Id,
        MessagePackError.NoFormatter => ArgumentErrors.NoFormatter.Id,
        MessagePackError.FormatterFailed => ArgumentErrors.FormatterFailed.Id,
        _ => null,
    };

    /// <summary>
    /// Bytes between the first byte given to the reader or writer and the offending value; where a formatter of MessagePack-CSharp failed,
    /// how far it had come.
    /// </summary>
    public long Offset { get; }

    /// <summary>The parameter or member concerned, when known: <c>Deposit.amount</c>.</summary>
    public string? Subject { get; }
}
