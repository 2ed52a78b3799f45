using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Format;

/// <summary>Versions of the bytes on disk.</summary>
public static class FormatVersion
{
    /// <summary>What this build writes, and the newest it reads.</summary>
    public const uint Current = 1;

    /// <summary>The oldest that this build reads.</summary>
    public const uint Oldest = 1;

    /// <summary>Throws IC-5001 for a version of a newer build; the file stays untouched.</summary>
    internal static void Require(uint version, string file)
    {
        if (version is < Oldest or > Current)
        {
            throw new LogStoreException(VersionErrors.FormatTooNew, $"format {version}, this build reads {Oldest} to {Current}", file,
                "the file is untouched", "start a build that knows this format");
        }
    }
}
