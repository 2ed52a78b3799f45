using System.Security.Cryptography;
using Ambrosia.LogStore;

namespace Ambrosia.ImmortalCoordinator.Hosting;

/// <summary>
/// The secret that an app shows on a loopback address, where file permissions cannot tell users apart, or at a socket if it is asked for there. It stands in a file that only
/// this user can read, and the group that may attach, never on a command line.
/// </summary>
internal static class BindingToken
{
    private const int Bytes = 32;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode AnybodyElse =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;

    /// <summary>The token of the file; a fresh one, for this user alone, is made if there is no file.</summary>
    /// <exception cref="CoordinatorException">The file cannot be used (IC-1008).</exception>
    public static string LoadOrMake(string path, bool groupMayRead, IEntropy entropy)
    {
        try
        {
            if (!File.Exists(path))
            {
                Make(path, entropy);
            }

            UnixFileMode forbidden = groupMayRead ? AnybodyElse & ~UnixFileMode.GroupRead : AnybodyElse;
            if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(path) & forbidden) != 0)
            {
                throw Unusable(path, "other users may read or write it", "make it private with chmod 600, or remove it: a fresh one is made", null);
            }

            string token = File.ReadAllText(path).Trim();
            return token.Length >= Bytes
                ? token
                : throw Unusable(path, "it holds fewer than 32 characters", "remove it: a fresh one is made", null);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw Unusable(path, error.Message, "give a file with --binding-token-file that this user may read and write", error);
        }
    }

    // Made aside and renamed, so that a kill never leaves half a token.
    private static void Make(string path, IEntropy entropy)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        Span<byte> secret = stackalloc byte[Bytes];
        entropy.Fill(secret);
        string aside = path + ".new";
        File.Delete(aside);
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = OwnerOnly;
        }

        using (var writer = new StreamWriter(aside, options))
        {
            writer.WriteLine(Convert.ToHexString(secret));
        }

        CryptographicOperations.ZeroMemory(secret);
        File.Move(aside, path);
    }

    private static CoordinatorException Unusable(string path, string reason, string advice, Exception? inner) => new(
        "IC-1008", ExitCode.Configuration, $"the token file cannot be used: {reason}", path, "no app was let in", advice, inner);
}
