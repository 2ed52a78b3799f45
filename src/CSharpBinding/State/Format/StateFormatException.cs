namespace Ambrosia;

/// <summary>Saved state is damaged, or was written by something else.</summary>
public sealed class StateFormatException : IOException
{
    internal StateFormatException(string found, long offset, Exception? inner = null)
        : base($"Saved state cannot be read: at offset {offset} there is {found}.", inner) => Offset = offset;

    /// <summary>Where in the state's bytes it was noticed.</summary>
    public long Offset { get; }
}
