namespace Ambrosia.LogStore.Files;

/// <summary>How a file is opened.</summary>
public enum FileOpening
{
    /// <summary>Existing file, reading only.</summary>
    Read,

    /// <summary>Existing file, reading and writing.</summary>
    ReadWrite,

    /// <summary>Reading and writing; made if it does not exist.</summary>
    ReadWriteOrCreate,

    /// <summary>Must not exist yet (O_EXCL).</summary>
    CreateNew,
}
