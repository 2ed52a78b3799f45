namespace Ambrosia.LogStore.Files.Memory;

/// <summary>An operation that an in-memory disk is about to execute; offset and length are 0 where they mean nothing.</summary>
public readonly record struct FileCall(FileCallKind Kind, string Path, long Offset, int Length);
