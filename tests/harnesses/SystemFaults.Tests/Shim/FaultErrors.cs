namespace Ambrosia.SystemFaults.Tests.Shim;

/// <summary>What each call can fail with on a real system.</summary>
internal static class FaultErrors
{
    public const int Short = -1;
    public const int Nothing = -2;
    public const int Interrupted = 4;
    public const int TryAgain = 11;

    private static readonly Dictionary<int, string> s_names = new()
    {
        [Short] = "short", [Nothing] = "nothing", [0] = "ok", [1] = "EPERM", [2] = "ENOENT", [Interrupted] = "EINTR", [5] = "EIO",
            [TryAgain] = "EAGAIN", [12] = "ENOMEM",
        [13] = "EACCES", [18] = "EXDEV", [22] = "EINVAL", [23] = "ENFILE", [24] = "EMFILE", [27] = "EFBIG", [28] = "ENOSPC", [30] = "EROFS",
            [32] = "EPIPE",
        [37] = "ENOLCK", [38] = "ENOSYS", [101] = "ENETUNREACH", [103] = "ECONNABORTED", [104] = "ECONNRESET", [105] = "ENOBUFS",
            [110] = "ETIMEDOUT", [111] = "ECONNREFUSED",
        [113] = "EHOSTUNREACH", [116] = "ESTALE", [122] = "EDQUOT",
    };

    /// <summary>Errors of each call on files.</summary>
    public static IReadOnlyDictionary<string, int[]> OfFiles { get; } = new Dictionary<string, int[]>
    {
        ["open"] = [5, 12, 13, 23, 24, 28, 30, 122, Interrupted],
        ["close"] = [5, 28, 122, Interrupted],
        ["pread"] = [5, Short, Interrupted, 116],
        ["pwrite"] = [5, 27, 28, 30, 122, Short, Nothing, Interrupted],
        ["fdatasync"] = [5, 28, 30, 122, Interrupted],
        ["fsync"] = [5, 28, 30, 122, Interrupted],
        ["ftruncate"] = [5, 28, 30, Interrupted],
        ["flock"] = [5, 37, TryAgain, Interrupted],
        ["rename"] = [5, 13, 18, 28, 30, 122],
        ["renameat2"] = [5, 13, 28, 30, 22, 38],
        ["link"] = [5, 28],
        ["unlink"] = [5, 1, 13, 30],
        ["mkdir"] = [5, 13, 28, 30],
        ["statx"] = [5, 12, 13],
        ["statfs"] = [5, 38],
        ["opendir"] = [5, 12, 13, 24],
        ["readdir"] = [5],
    };

    /// <summary>Errors of each call on sockets.</summary>
    public static IReadOnlyDictionary<string, int[]> OfSockets { get; } = new Dictionary<string, int[]>
    {
        ["accept4"] = [24, 23, 12, 103, 105, Interrupted],
        ["connect"] = [111, 110, 113, 101, 24],
        ["socket"] = [24, 23, 12],
        ["recv"] = [104, 110, Short, Interrupted],
        ["recvmsg"] = [104, 110, Interrupted],
        ["send"] = [104, 32, Short, Interrupted],
        ["sendmsg"] = [104, 32, Interrupted],
    };

    public static string NameOf(int error) =>
        s_names.GetValueOrDefault(error) ?? error.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
