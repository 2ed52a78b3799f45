using System.Buffers;
using MessagePack;
using MessagePack.Formatters;

namespace Ambrosia.Serialization;

/// <summary>
/// Has MessagePack-CSharp write and read single values amid ours. A formatter of the app's is code that nobody vouches for, too: whatever
/// it does, one value stands where one belongs, or there is an error that says what happened where.
/// </summary>
internal static class LibraryCodec
{
    private const int LargestKept = 1 << 20;

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? t_scratch;

    /// <summary>Writes one value.</summary>
    /// <exception cref="MessagePackException">
    /// No formatter is found, the formatter fails, or it writes something else than one value.
    /// </exception>
    public static void Write<T>(ref MessagePackWriter writer, T value, Func<MessagePackLibrary, MessagePackSerializerOptions> choose)
    {
        if (value is null)
        {
            writer.ThrowNull($"A value of {typeof(T)}");
        }

        // Apart: what the formatter wrote is looked at before it goes out. It may be used again only after that.
        ArrayBufferWriter<byte> scratch = t_scratch ?? new ArrayBufferWriter<byte>();
        t_scratch = null;
        try
        {
            MessagePackSerializerOptions options = choose(writer.Library);
            IMessagePackFormatter<T> formatter = FormatterOf<T>(options);
            var library = new global::MessagePack.MessagePackWriter(scratch);
            formatter.Serialize(ref library, value, options);
            library.Flush();
        }
        catch (Exception error)
        {
            throw Failure<T>("written", error, writer.BytesWritten, writer.Subject);
        }

        Check<T>(writer, scratch.WrittenSpan);
        writer.WriteRaw(scratch.WrittenSpan);
        scratch.ResetWrittenCount();
        t_scratch = scratch.Capacity <= LargestKept ? scratch : null;
    }

    /// <summary>Reads one value.</summary>
    /// <exception cref="MessagePackException">
    /// No formatter is found, or the formatter fails, reads something else than one value, or makes null of something.
    /// </exception>
    public static T Read<T>(ref MessagePackReader reader, Func<MessagePackLibrary, MessagePackSerializerOptions> choose)
    {
        if (default(T) is null)
        {
            reader.RefuseNil(typeof(T).ToString());
        }

        int start = reader.Position;
        int depth = reader.Depth;
        // A copy that nobody else has: a formatter may keep what it was given.
        byte[] bytes = reader.ReadValue().ToArray();
        var library = new global::MessagePack.MessagePackReader(bytes) { Depth = depth };
        T value;
        try
        {
            MessagePackSerializerOptions options = choose(reader.Library);
            value = FormatterOf<T>(options).Deserialize(ref library, options);
        }
        catch (Exception error)
        {
            throw Failure<T>("read", error, start + library.Consumed, reader.Subject);
        }

        if (library.Consumed != bytes.Length)
        {
            throw Wrong<T>($"has read {library.Consumed} of the {bytes.Length} bytes of its value", start, reader.Subject);
        }

        return value ?? throw Wrong<T>("has made null of a value", start, reader.Subject);
    }

    private static IMessagePackFormatter<T> FormatterOf<T>(MessagePackSerializerOptions options) =>
        options.Resolver.GetFormatter<T>() ?? throw new FormatterNotRegisteredException($"no resolver knows {typeof(T)}");

    private static void Check<T>(in MessagePackWriter writer, ReadOnlySpan<byte> written)
    {
        var reader = new MessagePackReader(written, writer.Depth);
        try
        {
            reader.ReadValue();
        }
        catch (MessagePackException error) when (error.Error == MessagePackError.TooDeep)
        {
            throw new MessagePackException(
                error.Error, writer.BytesWritten, writer.Subject,
                    $"values in {typeof(T)} are nested deeper than {MessagePackLimits.MaxDepth}");
        }
        catch (MessagePackException error)
        {
            throw Wrong<T>($"has not written one value: {error.Message}", writer.BytesWritten, writer.Subject);
        }

        if (reader.Remaining.Length > 0)
        {
            throw Wrong<T>($"has written {reader.Remaining.Length} bytes after its value", writer.BytesWritten, writer.Subject);
        }

        if (written[0] == MessagePackCode.Nil && default(T) is null)
        {
            throw Wrong<T>("has written null for a value", writer.BytesWritten, writer.Subject);
        }
    }

    private static MessagePackException Failure<T>(string done, Exception error, long offset, string? subject)
    {
        Exception root = error.GetBaseException();
        return root is FormatterNotRegisteredException
            ? new MessagePackException(
                MessagePackError.NoFormatter, offset, subject,
                $"{typeof(T)} cannot be {done}: {Trimmed(root)}. "
                + "Name a resolver that does, in ImmortalOptions.Resolver or in [Resolver] on the "
                    + $"interface ({ArgumentErrors.NoFormatter})", error)
            : new MessagePackException(
                MessagePackError.FormatterFailed, offset, subject,
                $"{typeof(T)} cannot be {done}: {root.GetType().Name}, {Trimmed(root)} "
                + $"({ArgumentErrors.FormatterFailed})", error);
    }

    private static MessagePackException Wrong<T>(string deed, long offset, string? subject) => new(
        MessagePackError.FormatterFailed, offset, subject,
        $"the formatter of {typeof(T)} {deed} ({ArgumentErrors.FormatterFailed})");

    private static string Trimmed(Exception error) => error.Message.TrimEnd('.');
}
