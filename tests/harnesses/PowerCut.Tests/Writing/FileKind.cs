namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>What a file of a log is, by its name: reports count by it.</summary>
internal static class FileKind
{
    public static string Of(string path)
    {
        string name = Path.GetFileName(path);
        bool aside = name.EndsWith(".tmp", StringComparison.Ordinal);
        string kind = name switch
        {
            _ when name.Contains(".seg.broken", StringComparison.Ordinal) => "cut tail",
            _ when name.Contains(".seg", StringComparison.Ordinal) => "segment",
            _ when name.Contains(".free", StringComparison.Ordinal) => "spare segment",
            _ when name.Contains(".ckpt", StringComparison.Ordinal) => "checkpoint",
            _ when name.StartsWith("manifest", StringComparison.Ordinal) => "manifest",
            "lock" => "lock",
            _ => "folder",
        };
        return aside ? kind + " aside" : kind;
    }
}
