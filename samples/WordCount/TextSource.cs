using System.Text;

namespace WordCount;

/// <summary>A file, or all text files of a folder, as numbered blocks: the same blocks with the same numbers whenever they are
/// read.</summary>
internal sealed class TextSource
{
    private const int BlockSize = 8 * 1024;
    private static readonly string[] s_skipped = ["bin", "obj", ".git", "node_modules", "artifacts"];
    private readonly List<string> _files;

    public TextSource(string path)
    {
        _files = File.Exists(path) ? [path] : [.. FilesBelow(path).Order(StringComparer.Ordinal)];
        Bytes = _files.Sum(static file => new FileInfo(file).Length);
    }

    public int Files => _files.Count;

    public long Bytes { get; }

    public IEnumerable<string> Blocks()
    {
        var block = new StringBuilder();
        foreach (string line in _files.SelectMany(static file => File.ReadLines(file)))
        {
            block.Append(line).Append('\n');
            if (block.Length >= BlockSize)
            {
                yield return block.ToString();
                block.Clear();
            }
        }

        if (block.Length > 0)
        {
            yield return block.ToString();
        }
    }

    // Files without a NUL in their first bytes are taken for text.
    private static IEnumerable<string> FilesBelow(string folder)
    {
        foreach (string file in Directory.EnumerateFiles(folder))
        {
            if (IsText(file))
            {
                yield return file;
            }
        }

        foreach (string below in Directory.EnumerateDirectories(folder).Where(static name => !s_skipped.Contains(Path.GetFileName(name))))
        {
            foreach (string file in FilesBelow(below))
            {
                yield return file;
            }
        }
    }

    private static bool IsText(string file)
    {
        Span<byte> start = stackalloc byte[1024];
        using FileStream stream = File.OpenRead(file);
        return !start[..stream.Read(start)].Contains((byte)0);
    }
}
