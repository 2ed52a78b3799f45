using System.Globalization;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Hosting;

/// <summary>The user that a coordinator may run as beside the app's own and root: a number, or a name of this machine.</summary>
internal static class CoordinatorUser
{
    /// <summary>The user's number; null for none.</summary>
    /// <exception cref="OptionException">There is no such user.</exception>
    public static uint? Parse(string text)
    {
        if (text.Length == 0)
        {
            return null;
        }

        bool numbered = uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out uint number);
        uint? user = numbered ? number : Platform.UsesLinuxCalls ? SocketCalls.UserOf(text) : null;
        return user ?? throw new OptionException(
            $"'{text}' is no user of this machine: write the name or the number of the one that the coordinator runs as "
            + $"(--coordinator-user).");
    }
}
