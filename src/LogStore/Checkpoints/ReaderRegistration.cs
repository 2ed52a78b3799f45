namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// A reader of the log besides its own app: up to a limit, nothing at or after its position is deleted. Lives in memory only.
/// </summary>
public sealed class ReaderRegistration : IDisposable
{
    private readonly Action<ReaderRegistration> _end;
    private ulong _position;

    internal ReaderRegistration(string name, Lsn position, Action<ReaderRegistration> end) =>
        (Name, _position, _end) = (name, position.Value, end);

    /// <summary>The reader, for messages.</summary>
    public string Name { get; }

    /// <summary>Last record that the reader is done with.</summary>
    public Lsn Position
    {
        get => new(Volatile.Read(ref _position));
        set => Volatile.Write(ref _position, value.Value);
    }

    /// <summary>The reader has ended.</summary>
    public void Dispose() => _end(this);
}
