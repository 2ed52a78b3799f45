using System.Globalization;

namespace Ambrosia.Primitives.Errors;

/// <summary>All codes that there are.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ErrorCatalogue
{
    /// <summary>In the order of docs/operate/errors.md.</summary>
    public static IReadOnlyList<ErrorGroup> Groups { get; } =
    [
        new("IC-10xx: options, addresses, processes", "", ProcessErrors.All),
        new(
            "IC-11xx: arguments and results",
            "These stand in messages of `MessagePackException`, with the argument and the byte; its `Code` has them, too. No line of a "
            + "coordinator has one.",
            ArgumentErrors.All),
        new("IC-20xx and IC-21xx: log, checkpoints, catalog", "", [.. StoreErrors.All, .. OutputErrors.All]),
        new("IC-30xx: leadership", "", LeadershipErrors.All),
        new(
            "IC-40xx: peers",
            "These end a connection, not the process; the sender keeps its messages and, where it makes sense, tries again.",
            PeerErrors.All),
        new("IC-50xx and IC-60xx: versions and replay", "", [.. VersionErrors.All, .. ReplayErrors.All]),
        new(
            "IC-70xx: calls from outside",
            "These stand in the answers of `--ingress`: as `code` of a problem (RFC 9457), and as the trailer `ambrosia-code` of gRPC. "
            + "`final` says whether each repeat is told the same. "
            + "[calls-from-outside.md](../guide/calls-from-outside.md) shows how to call.",
            IngressErrors.All),
    ];

    /// <summary>By number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } = [.. Groups.SelectMany(static group => group.Codes)];

    /// <summary>
    /// The code of this text, such as one from a peer: <c>IC-2033</c>, also in small letters or without <c>IC-</c>. Null if there is none.
    /// </summary>
    public static ErrorCode? Find(string text)
    {
        ReadOnlySpan<char> digits = text.AsSpan().Trim();
        digits = digits.StartsWith("IC-", StringComparison.OrdinalIgnoreCase) ? digits[3..] : digits;
        return digits.Length == 4 && int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? All.FirstOrDefault(code => code.Number == number)
            : null;
    }
}
