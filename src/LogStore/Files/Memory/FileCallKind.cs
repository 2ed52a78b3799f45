namespace Ambrosia.LogStore.Files.Memory;

/// <summary>Operations that a fault can hit.</summary>
public enum FileCallKind
{
    Open,
    Read,
    Write,
    SyncData,
    Sync,
    Truncate,
    Lock,
    CreateFolder,
    Rename,
    Delete,
    List,
    SyncFolder,
    Stat,
}
