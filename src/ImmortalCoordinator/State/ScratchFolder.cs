using Ambrosia.LogStore.Files;

namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>Where one process puts what dies with it. Replicas of an instance have one each, because they live at the same time.</summary>
internal static class ScratchFolder
{
    /// <summary>The folder's path below the instance's.</summary>
    public static string PathOf(string instanceFolder, int? replica) => Path.Combine(instanceFolder, replica is null ? "scratch" : $"scratch.{replica}");

    /// <summary>Makes the folder, or empties it of what a killed predecessor left. Only the holder of the replica's number may.</summary>
    public static async ValueTask PrepareAsync(IFileSystem files, string folder)
    {
        await files.CreateFolderAsync(folder);
        foreach (string name in await files.ListAsync(folder))
        {
            await files.DeleteAsync(Path.Combine(folder, name));
        }
    }
}
