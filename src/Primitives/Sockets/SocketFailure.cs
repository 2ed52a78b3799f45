using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ambrosia.Primitives.Sockets;

/// <summary>
/// Why a connection broke, as the system says it: "Connection reset by peer (errno 104)" is another matter than "Connection timed out
/// (errno 110)".
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class SocketFailure
{
    /// <summary>The text for an error number of a call.</summary>
    public static string Of(int error) => $"{Marshal.GetPInvokeErrorMessage(error)} (errno {error})";

    /// <summary>The text for what the runtime's own sockets throw; null if this side has closed the socket.</summary>
    public static string? Of(Exception error) =>
        error is SocketException { SocketErrorCode: not SocketError.OperationAborted } failed ? Of(failed.NativeErrorCode) : null;
}
