namespace Ambrosia.LogStore.Files.Memory;

/// <summary>Decides what goes wrong on an in-memory disk.</summary>
public interface IFileFaults
{
    /// <summary>Called before each operation; it may take its time (a stalled disk). The answer tells how the operation ends.</summary>
    ValueTask<FileFault> BeforeAsync(FileCall call);
}
