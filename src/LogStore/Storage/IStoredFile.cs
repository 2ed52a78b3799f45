namespace Ambrosia.LogStore.Storage;

/// <summary>One segment or checkpoint of a backend.</summary>
public interface IStoredFile : IAsyncDisposable
{
    /// <summary>Name for messages, complete enough for a person to find it.</summary>
    string Name { get; }

    /// <summary>Bytes it holds now, prepared space included.</summary>
    ValueTask<long> GetLengthAsync();

    /// <summary>Reads until the destination is full or the file ends; returns the bytes read.</summary>
    ValueTask<int> ReadAsync(Memory<byte> destination, long offset);

    /// <summary>Puts bytes at the end of what was appended, which the caller knows to be at this offset.</summary>
    ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset);

    /// <summary>
    /// From now on, until it is closed, its bytes stay readable although its name may go. False when the backend cannot promise that, or
    /// the name is gone already.
    /// </summary>
    ValueTask<bool> TryHoldAsync() => new(false);

    /// <summary>Makes all appended bytes durable.</summary>
    ValueTask SyncAsync();

    /// <summary>
    /// Brings what was appended to the device now, where somebody else's sync would have to wait for it; does nothing where there is no
    /// such device.
    /// </summary>
    ValueTask SettleAsync() => default;

    /// <summary>Cuts everything from this offset on, durably.</summary>
    ValueTask CutAsync(long length);

    /// <summary>Prepares space up to this offset so that later appends are faster; does nothing where that is no help.</summary>
    ValueTask PrepareAsync(long from, long to);

    /// <summary>Whether it takes nothing more, however short it is: a backend may count appends.</summary>
    bool IsFull => false;

    /// <summary>Throws when the name no longer leads to this file: what is appended now would be lost.</summary>
    ValueTask VerifyIdentityAsync();
}
