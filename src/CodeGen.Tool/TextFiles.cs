namespace Ambrosia.CodeGen.Tool;

/// <summary>Writes files so that unchanged ones keep their time and builds stay incremental.</summary>
internal static class TextFiles
{
    /// <summary>Writes the text unless the file holds it already; true if it was written.</summary>
    public static async Task<bool> WriteIfChangedAsync(string path, string text, CancellationToken cancel)
    {
        if (File.Exists(path) && await File.ReadAllTextAsync(path, cancel) == text)
        {
            return false;
        }

        if (Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder)
        {
            Directory.CreateDirectory(folder);
        }

        await File.WriteAllTextAsync(path, text, cancel);
        return true;
    }
}
