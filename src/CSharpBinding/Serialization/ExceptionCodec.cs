namespace Ambrosia.Serialization;

/// <summary>
/// Exceptions in replies: a MessagePack array of type name, message, stack trace as text, the inner exception (nil or such an array again),
/// and, of one that an interface
/// declares (<see cref="ThrowsAttribute"/>), its data as JSON.
/// No type is ever loaded by the name that came over the wire: known ones are looked up in a fixed list.
/// </summary>
internal static class ExceptionCodec
{
    private const int MaxDepth = 8;
    private const int MaxText = 16 * 1024;
    private static readonly Dictionary<string, Func<string, Exception, Exception>> s_known = new()
    {
        [typeof(ArgumentException).FullName!] = (message, remote) => new ArgumentException(message, remote),
        [typeof(ArgumentNullException).FullName!] = (message, remote) => new ArgumentNullException(message, remote),
        [typeof(ArgumentOutOfRangeException).FullName!] = (message, remote) => new ArgumentOutOfRangeException(message, remote),
        [typeof(InvalidOperationException).FullName!] = (message, remote) => new InvalidOperationException(message, remote),
        [typeof(NotSupportedException).FullName!] = (message, remote) => new NotSupportedException(message, remote),
        [typeof(KeyNotFoundException).FullName!] = (message, remote) => new KeyNotFoundException(message, remote),
        [typeof(FormatException).FullName!] = (message, remote) => new FormatException(message, remote),
        [typeof(OverflowException).FullName!] = (message, remote) => new OverflowException(message, remote),
        [typeof(DivideByZeroException).FullName!] = (message, remote) => new DivideByZeroException(message, remote),
        [typeof(ArithmeticException).FullName!] = (message, remote) => new ArithmeticException(message, remote),
        [typeof(TimeoutException).FullName!] = (message, remote) => new TimeoutException(message, remote),
        [typeof(OperationCanceledException).FullName!] = (message, remote) => new OperationCanceledException(message, remote),
        [typeof(UnauthorizedAccessException).FullName!] = (message, remote) => new UnauthorizedAccessException(message, remote),
        [typeof(InvalidDataException).FullName!] = (message, remote) => new InvalidDataException(message, remote),
        [typeof(MissingMethodException).FullName!] = (message, remote) => new MissingMethodException(message, remote),
        [typeof(EffectResultException).FullName!] = (message, remote) => new EffectResultException(message, remote),
        [typeof(NotImplementedException).FullName!] = (message, remote) => new NotImplementedException(message, remote),
    };

    /// <summary>Writes an exception and its inner ones.</summary>
    /// <param name="writer">Takes it.</param>
    /// <param name="error">The exception.</param>
    /// <param name="declared">Exceptions whose data go along.</param>
    /// <param name="withStack">Whether its stack traces do, which differ from run to run.</param>
    public static void Write(ref MessagePackWriter writer, Exception error, DeclaredExceptions? declared = null, bool withStack = true) =>
        Write(ref writer, error, declared, withStack, 1);

    /// <summary>
    /// Reads an exception: one of .NET's own by its type, one that an interface declares with its data, any other as <see
    /// cref="RemoteException"/>.
    /// </summary>
    /// <exception cref="MessagePackException">The bytes are not such an array.</exception>
    public static Exception Read(ReadOnlySpan<byte> bytes, DeclaredExceptions? declared = null)
    {
        var reader = new MessagePackReader(bytes);
        return Read(ref reader, declared, 1);
    }

    private static void Write(ref MessagePackWriter writer, Exception error, DeclaredExceptions? declared, bool withStack, int depth)
    {
        string? data = declared?.Find(error.GetType().FullName ?? "")?.Write(error);
        // The remote part of an exception that was rebuilt here carries nothing that its wrapper does not say.
        Exception? inner = error.InnerException is RemoteException remote && remote.RemoteType == error.GetType().FullName
            ? remote.InnerException : error.InnerException;
        writer.WriteArrayHeader(data is null ? 4 : 5);
        writer.WriteString(Cut(error is RemoteException passedOn ? passedOn.RemoteType : error.GetType().FullName ?? error.GetType().Name));
        writer.WriteString(Cut(error.Message));
        writer.WriteString(withStack ? Cut(StackOf(error)) : "");
        if (inner is null || depth >= MaxDepth)
        {
            writer.WriteNil();
        }
        else
        {
            Write(ref writer, inner, declared, withStack, depth + 1);
        }

        if (data is not null)
        {
            writer.WriteString(data);
        }
    }

    private static Exception Read(ref MessagePackReader reader, DeclaredExceptions? declared, int depth)
    {
        int fields = reader.ReadArrayHeader();
        if (fields < 3 || depth > 2 * MaxDepth)
        {
            throw new InvalidDataException($"an exception of {fields} fields at depth {depth}");
        }

        string type = reader.ReadString();
        string message = reader.ReadString();
        string stack = reader.ReadString();
        Exception? inner = fields == 3 || reader.TryReadNil() ? null : Read(ref reader, declared, depth + 1);
        string? data = fields > 4 && declared?.Find(type) is not null ? reader.ReadString() : null;
        for (int i = data is null ? 4 : 5; i < fields; i++)
        {
            reader.Skip();
        }

        var remote = new RemoteException(type, message, stack, inner);
        if (data is not null && declared!.Find(type)!.Read(message, data, remote) is { } known)
        {
            return known;
        }

        return s_known.TryGetValue(type, out Func<string, Exception, Exception>? create) ? create(message, remote) : remote;
    }

    private static string StackOf(Exception error) => error switch
    {
        RemoteException remote => remote.RemoteStackTrace,
        { InnerException: RemoteException remote } when remote.RemoteType == error.GetType().FullName => remote.RemoteStackTrace,
        _ => error.StackTrace ?? "",
    };

    // Half a surrogate pair has no UTF-8 form, and a message may hold anything.
    private static string Cut(string text)
    {
        string shorter = text.Length <= MaxText ? text : text[..MaxText];
        return System.Text.Encoding.UTF8.GetString(System.Text.Encoding.UTF8.GetBytes(shorter));
    }
}
