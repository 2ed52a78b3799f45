using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Hosting;

/// <summary>The path of the socket at which an app meets the coordinator that it starts.</summary>
internal static class CoordinatorSocket
{
    /// <summary>
    /// A path of its own for each app process: a predecessor's coordinator that is just dying must not be taken for the new one.
    /// </summary>
    /// <param name="options">The immortal.</param>
    /// <param name="runtimeFolder">The system's folder for sockets of this user (XDG_RUNTIME_DIR); null or missing where there is
    /// none.</param>
    /// <exception cref="CoordinatorUnavailableException">The folder cannot be used.</exception>
    public static string NewPath(ImmortalOptions options, string? runtimeFolder)
    {
        byte[] hash = SHA256.HashData(Encoding.UTF8.GetBytes($"{options.Store}\n{options.InstanceName}\n{Environment.CurrentDirectory}"));
        string prefix = Convert.ToHexString(hash, 0, 8).ToLowerInvariant();
        string folder = string.IsNullOrEmpty(runtimeFolder) || !Directory.Exists(runtimeFolder)
            ? SocketFolder.OfUser
            : Path.Combine(runtimeFolder, "ambrosia");
        string socket = Path.Combine(folder, $"{prefix}-{Environment.ProcessId}.sock");
        if ((BindingAddress.Fits(socket) ? Make(folder) : $"a socket in it has a path of more than {BindingAddress.LongestPath} bytes") is
            { } reason)
        {
            throw new CoordinatorUnavailableException(
                $"The folder for the coordinator's socket, {folder}, cannot be used: {reason}. "
                + "Set XDG_RUNTIME_DIR to a folder with a short path that only this user may write to.");
        }

        RemoveStale(folder, prefix);
        return socket;
    }

    /// <summary>Removes a socket, and the lock file by which the coordinator guards it: its path is never used again.</summary>
    public static void Remove(string socket)
    {
        File.Delete(socket);
        File.Delete(socket + ".lock");
    }

    private static string? Make(string folder)
    {
        try
        {
            return SocketFolder.Make(folder);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return error.Message.TrimEnd('.');
        }
    }

    private static void RemoveStale(string folder, string prefix)
    {
        foreach (string file in Directory.EnumerateFiles(folder, prefix + "-*.sock*"))
        {
            string path = Path.Combine(folder, Path.GetFileName(file).Split(".sock")[0] + ".sock");
            string id = Path.GetFileNameWithoutExtension(path)[(prefix.Length + 1)..];
            if (int.TryParse(id, out int processId) && processId != Environment.ProcessId && !IsAlive(processId))
            {
                Remove(path);
            }
        }
    }

    private static bool IsAlive(int processId)
    {
        try
        {
            using var process = Process.GetProcessById(processId);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
