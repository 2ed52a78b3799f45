using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Files;

namespace Ambrosia.Cli;

/// <summary>Looks who holds one of the locks of an instance's folder.</summary>
internal static class LockFile
{
    /// <summary>
    /// The process that holds the lock: null when nobody does, 0 when it cannot be told which. The lock is tried for an instant; a coordinator that
    /// starts in that instant waits for it and gets it. (.NET's own file streams take locks too and would fail here.)
    /// </summary>
    public static async Task<int?> HolderAsync(IFileSystem files, string path)
    {
        if (await files.StatAsync(path) is null)
        {
            return null;
        }

        await using IFile file = await files.OpenAsync(path, FileOpening.Read);
        if (await file.TryLockAsync())
        {
            return null;
        }

        byte[] text = new byte[100];
        int length = await file.ReadAsync(text, 0);
        return ProcessOf(Encoding.UTF8.GetString(text, 0, length));
    }

    /// <summary>The process in what a holder wrote about itself; 0 when it does not say.</summary>
    public static int ProcessOf(string? holder)
    {
        string[] words = (holder ?? "").Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries);
        return words is ["pid", var id, ..] && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int process) ? process : 0;
    }
}
