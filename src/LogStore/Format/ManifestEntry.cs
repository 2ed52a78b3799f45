namespace Ambrosia.LogStore.Format;

/// <summary>One verified checkpoint: position, epoch under which it was taken, its bytes on the store.</summary>
public readonly record struct ManifestEntry(Lsn Lsn, Epoch Epoch, long StoredBytes);
