namespace Ambrosia.LogStore.Files;

/// <summary>What a store lies on: file system type, whether locks and syncs on it may lie (network shares), free bytes.</summary>
public readonly record struct VolumeStatus(string Type, bool IsNetwork, long FreeBytes);
