using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;

namespace Ambrosia.Coordinator.Transport;

/// <summary>
/// An address as text: <c>tcp:host:port</c>, <c>tcp:[::1]:port</c>, <c>unix:/path</c> or <c>pipe:name</c>. People may leave <c>tcp:</c>
/// away, and <c>unix:</c> before an absolute path.
/// </summary>
public sealed record EndPointName
{
    private EndPointName(EndPointScheme scheme, string host, int port)
    {
        Scheme = scheme;
        Host = host;
        Port = port;
    }

    /// <summary>Kind of address.</summary>
    public EndPointScheme Scheme { get; }

    /// <summary>Host name or IP address (without brackets), path, or pipe name.</summary>
    public string Host { get; }

    /// <summary>Port, 0 to 65535; 0 when listening means: any free one. 0 for the other kinds.</summary>
    public int Port { get; }

    /// <summary>Host and port as they stand in a URL: an IPv6 address in brackets.</summary>
    public string Authority =>
        string.Create(CultureInfo.InvariantCulture, $"{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}");

    /// <summary>True when only this machine, or this process, can reach it.</summary>
    public bool IsLocal => Scheme != EndPointScheme.Tcp
        || string.Equals(Host, "localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(Host, out IPAddress? address) && IPAddress.IsLoopback(address));

    /// <summary>An address of the Internet protocols.</summary>
    public static EndPointName Tcp(string host, int port) => new(EndPointScheme.Tcp, host, port);

    /// <summary>A Unix domain socket.</summary>
    public static EndPointName Unix(string path) => new(EndPointScheme.Unix, path, 0);

    /// <summary>A name inside this process.</summary>
    public static EndPointName Pipe(string name) => new(EndPointScheme.Pipe, name, 0);

    /// <summary>Same kind and host, another port.</summary>
    public EndPointName WithPort(int port) => new(Scheme, Host, port);

    /// <summary>Reads the text form; false with a reason that completes the sentence "'text' is not an address: ...".</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out EndPointName? endPoint, [NotNullWhen(false)] out string? reason)
    {
        if (text.StartsWith("unix:", StringComparison.Ordinal) || text.StartsWith('/'))
        {
            return TryParseUnix(text.StartsWith('/') ? text : text["unix:".Length..], out endPoint, out reason);
        }

        if (text.StartsWith("pipe:", StringComparison.Ordinal))
        {
            endPoint = text.Length > "pipe:".Length ? Pipe(text["pipe:".Length..]) : null;
            reason = endPoint is null ? "pipe: needs a name" : null;
            return endPoint is not null;
        }

        return TryParseTcp(text.StartsWith("tcp:", StringComparison.Ordinal) ? text["tcp:".Length..] : text, out endPoint, out reason);
    }

    /// <summary>Reads the text form.</summary>
    /// <exception cref="FormatException">It is not an address; the message says why.</exception>
    public static EndPointName Parse(string text) =>
        TryParse(text, out EndPointName? endPoint, out string? reason) ? endPoint
        : throw new FormatException($"'{text}' is not an address: {reason}");

    /// <summary>The text form, scheme included; <see cref="Parse"/> reads it back.</summary>
    public override string ToString() => Scheme switch
    {
        EndPointScheme.Unix => $"unix:{Host}",
        EndPointScheme.Pipe => $"pipe:{Host}",
        _ => $"tcp:{Authority}",
    };

    private static bool TryParseUnix(string path, [NotNullWhen(true)] out EndPointName? endPoint, [NotNullWhen(false)] out string? reason)
    {
        bool valid = path.StartsWith('/') && !path.Contains('\0', StringComparison.Ordinal) && !path.EndsWith('/');
        endPoint = valid ? Unix(path) : null;
        reason = valid ? null : "a Unix socket is an absolute path to a file";
        return valid;
    }

    private static bool TryParseTcp(string text, [NotNullWhen(true)] out EndPointName? endPoint, [NotNullWhen(false)] out string? reason)
    {
        endPoint = null;
        int colon = text.LastIndexOf(':');
        if (colon <= 0)
        {
            reason = "host and port are separated by a colon, as in 127.0.0.1:5000";
            return false;
        }

        string host = text[..colon];
        bool bracketed = host.StartsWith('[') && host.EndsWith(']');
        host = bracketed ? host[1..^1] : host;
        if (bracketed ? !IPAddress.TryParse(host, out _) : host.Length == 0
            || !host.All(static c => char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_'))
        {
            reason = "the host is a name or an IP address, an IPv6 one in brackets";
            return false;
        }

        if (!int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int port) || port > ushort.MaxValue)
        {
            reason = "the port is a number from 0 to 65535";
            return false;
        }

        endPoint = Tcp(host, port);
        reason = null;
        return true;
    }
}
