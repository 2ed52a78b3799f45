using System.Globalization;
using System.Security.Cryptography;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.CoordinatorHost.Places;

/// <summary>
/// A secret to be shown on a loopback address, where file permissions cannot tell users apart, or at a socket if it is asked for there.
/// It stands in a file that only this user can read, and the group that may attach, never on a command line.
/// </summary>
public static class TokenFile
{
    private const int Bytes = 32;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode AnybodyElse =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;

    /// <summary>The token of the file; a fresh one, for this user alone, is made if there is no file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="option">The option that names it, for messages.</param>
    /// <param name="groupMayRead">Whether its group may read it.</param>
    /// <param name="entropy">Makes a fresh one.</param>
    /// <param name="user">The user that reads it; null for the one of this process.</param>
    /// <exception cref="CoordinatorException">The file cannot be used (IC-1008).</exception>
    public static string LoadOrMake(string path, string option, bool groupMayRead, IEntropy entropy, uint? user = null)
    {
        try
        {
            if (!File.Exists(path))
            {
                Make(path, entropy);
            }

            using FileStream file = File.OpenRead(path);
            UnixFileMode forbidden = groupMayRead ? AnybodyElse & ~UnixFileMode.GroupRead : AnybodyElse;
            if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(file.SafeFileHandle) & forbidden) != 0)
            {
                throw Unusable(path, "other users may read or write it",
                    "make it private with chmod 600, or remove it: a fresh one is made", null);
            }

            if (OtherOwner(file, user) is { } other)
            {
                throw Unusable(
                    path, string.Create(CultureInfo.InvariantCulture, $"it belongs to user {other}, which knows what it holds"),
                    "give a file of this user's own, or remove it: a fresh one is made", null);
            }

            using var reader = new StreamReader(file);
            string token = reader.ReadToEnd().Trim();
            return token.Length >= Bytes
                ? token
                : throw Unusable(path, "it holds fewer than 32 characters", "remove it: a fresh one is made", null);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw Unusable(path, error.Message, $"give a file with {option} that this user may read and write", error);
        }
    }

    // Of the open file, for the path may name another one in the next moment. The mode of a file does not tell its owner.
    private static uint? OtherOwner(FileStream file, uint? user)
    {
        if (!Platform.UsesLinuxCalls)
        {
            return null;
        }

        uint owner = PathStatus.Of((int)file.SafeFileHandle.DangerousGetHandle()).Owner;
        return owner == 0 || owner == (user ?? SocketCalls.EffectiveUser()) ? null : owner;
    }

    // Made aside and renamed, so that a kill never leaves half a token. Of several that start at once, as replicas may, the first counts.
    private static void Make(string path, IEntropy entropy)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        Span<byte> secret = stackalloc byte[Bytes];
        Span<byte> name = stackalloc byte[8];
        entropy.Fill(secret);
        entropy.Fill(name);
        string aside = $"{path}.{Convert.ToHexString(name)}.new";
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
        if (Platform.UsesLinuxCalls && (FileCalls.Link(aside, path) == 0 || File.Exists(path)))
        {
            File.Delete(aside); // A link, because File.Move looks first and replaces then.
            return;
        }

        try
        {
            File.Move(aside, path);
        }
        catch (IOException) when (File.Exists(path))
        {
            File.Delete(aside);
        }
    }

    private static CoordinatorException Unusable(string path, string reason, string advice, Exception? inner) => new(
        ProcessErrors.TokenFileUnusable, $"the token file cannot be used: {reason}", path, "nobody was let in", advice, inner);
}
