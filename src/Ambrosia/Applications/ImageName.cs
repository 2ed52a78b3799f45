using Ambrosia.Cli.Commands;

namespace Ambrosia.Cli.Applications;

/// <summary>Name of a container's image, with its tag or digest.</summary>
internal readonly record struct ImageName(string Repository, string Tag, string Digest)
{
    /// <summary>Splits a name.</summary>
    /// <exception cref="CommandException">It has neither tag nor digest, or is none.</exception>
    public static ImageName Parse(string text, string where)
    {
        int digest = text.IndexOf("@sha256:", StringComparison.Ordinal);
        string name = digest < 0 ? text : text[..digest];
        int tag = name.LastIndexOf(':');
        bool tagged = tag > name.LastIndexOf('/');
        string repository = tagged ? name[..tag] : name;
        if (repository.Length == 0 || text.Any(static c => char.IsWhiteSpace(c)) || (digest < 0 && (!tagged || tag == name.Length - 1)))
        {
            throw new CommandException(CommandExit.Usage,
                $"{where}: '{text}' names no version of an image. Write NAME:TAG, or NAME@sha256:DIGEST: what runs should be "
                + $"what was tested.");
        }

        return new ImageName(repository, tagged && digest < 0 ? name[(tag + 1)..] : "", digest < 0 ? "" : text[(digest + 1)..]);
    }
}
