using System.Globalization;

namespace Ambrosia.Cli.Commands;

/// <summary>Reads what the holder of a lock says about itself.</summary>
internal static class Holder
{
    /// <summary>The process in it; 0 when it does not say.</summary>
    public static int ProcessOf(string? holder)
    {
        string[] words = (holder ?? "").Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries);
        return words is ["pid", var id, ..] && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int process) ? process
            : 0;
    }
}
