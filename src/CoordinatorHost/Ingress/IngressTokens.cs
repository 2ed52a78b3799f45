using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.CoordinatorHost.Options;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Which clients may call: a file with a line for each token, its caller's name and the token's SHA-256 as 64 hexadecimal digits, and, if
/// it may call only some methods, their names with commas between. A line that begins with the word gateway has the token of one that
/// speaks for others. The tokens themselves are nowhere. A file that was changed counts from the next second on; one that became unusable
/// changes nothing.
/// </summary>
internal sealed class IngressTokens
{
    private const string Gateway = "gateway";
    private const int MaxName = 255;
    private const long MaxFile = 1 << 20;
    private static readonly string s_hashOfNothing = Convert.ToHexString(SHA256.HashData([]));
    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(1);
    private readonly object _looking = new();
    private readonly string _path;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private volatile Dictionary<string, IngressCaller> _callers;
    private DateTime _written;
    private string _trouble = "";
    private long _looked;

    private IngressTokens(string path, TimeProvider time, ILogger logger)
    {
        (_path, _time, _logger) = (path, time, logger);
        _written = File.GetLastWriteTimeUtc(path);
        _callers = Read(path);
        _looked = time.GetTimestamp();
    }

    /// <summary>Reads a file.</summary>
    /// <exception cref="CoordinatorException">It cannot be used (IC-1008).</exception>
    public static IngressTokens Load(string path, TimeProvider time, ILogger logger) => new(path, time, logger);

    /// <summary>All of them, by name.</summary>
    public IEnumerable<IngressCaller> Listed => _callers.Values.OrderBy(static caller => caller.Name, StringComparer.Ordinal);

    /// <summary>Whose token this is; null if nobody's.</summary>
    public IngressCaller? Find(string token)
    {
        LookForChange();
        // The hash is what is compared, so that how long it takes says nothing of a token.
        return _callers.GetValueOrDefault(Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token))));
    }

    private void LookForChange()
    {
        lock (_looking)
        {
            if (_time.GetElapsedTime(_looked) < s_between)
            {
                return;
            }

            _looked = _time.GetTimestamp();
            try
            {
                DateTime written = File.GetLastWriteTimeUtc(_path);
                if (written != _written)
                {
                    _callers = Read(_path);
                    _written = written; // Only now: what makes a file usable, such as other rights, may leave its time as it is.
                    CoordinatorLog.IngressTokensRead(_logger, _callers.Count, _path);
                }

                _trouble = "";
            }
            catch (Exception error) when (error is CoordinatorException or IOException or UnauthorizedAccessException)
            {
                if (_trouble != error.Message)
                {
                    _trouble = error.Message;
                    CoordinatorLog.IngressTokensKept(_logger, error.Message);
                }
            }
        }
    }

    private static Dictionary<string, IngressCaller> Read(string path)
    {
        try
        {
            using FileStream file = File.OpenRead(path);
            const UnixFileMode Others = UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
            if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(file.SafeFileHandle) & Others) != 0)
            {
                throw Unusable(path, "other users may write it", "chmod go-w: a user that may write it decides which clients may call");
            }

            if (file.Length > MaxFile)
            {
                throw Unusable(path, "it has more than 1 MiB", "give a file of names and hashes");
            }

            using var reader = new StreamReader(file);
            return Parse(reader.ReadToEnd(), path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw Unusable(path, error.Message, "name a file of callers that this user may read");
        }
    }

    private static Dictionary<string, IngressCaller> Parse(string text, string path)
    {
        var callers = new Dictionary<string, IngressCaller>(StringComparer.Ordinal);
        int number = 0;
        foreach (string line in text.Split('\n'))
        {
            number++;
            string[] words = line.Split((char[])[' ', '\t', '\r'], StringSplitOptions.RemoveEmptyEntries);
            if (words.Length == 0 || words[0].StartsWith('#'))
            {
                continue;
            }

            // An older build refuses such a line: it would take all whom a gateway speaks for as one caller, with one set of keys.
            bool isGateway = words[0] == Gateway && words.Length > 2 && !IsHash(words[1]);
            words = isGateway ? words[1..] : words;
            IngressMethods? methods = words.Length == 3 ? IngressMethods.TryParse(words[2]) : IngressMethods.All;
            if (words.Length is < 2 or > 3 || methods is null
                || !IsName(words[0]) || !IsHash(words[1]))
            {
                throw Unusable(
                    path, $"line {number} is no name and SHA-256",
                    "write 'name hash', 'name hash Method,Method' or 'gateway name hash'; see docs/guide/calls-from-outside.md");
            }

            if (JwtNames.IsTaken(words[0]))
            {
                throw Unusable(
                    path, $"line {number} has the name of a caller whose tokens an issuer gives out",
                    $"take a name that does not begin with {JwtNames.Prefix}: or {JwtNames.Prefix}-sha256:");
            }

            if (words[1].Equals(s_hashOfNothing, StringComparison.OrdinalIgnoreCase))
            {
                throw Unusable(path, $"line {number} has the hash of no token at all", "make a token, and hash that");
            }

            if (!callers.TryAdd(words[1].ToUpperInvariant(), new IngressCaller(words[0], methods) { IsGateway = isGateway }))
            {
                throw Unusable(path, $"line {number} has the hash of an earlier line", "give each caller a token of its own");
            }
        }

        return callers;
    }

    /// <summary>Whether it may be a caller's name.</summary>
    internal static bool IsName(string text) => text.Length is > 0 and <= MaxName && text.All(static c => c is > ' ' and <= '~');

    private static bool IsHash(string text) => text.Length == 64 && text.All(char.IsAsciiHexDigit);

    private static CoordinatorException Unusable(string path, string reason, string advice) => new(
        ProcessErrors.TokenFileUnusable, $"the token file cannot be used: {reason}", path, "nobody was let in", advice);
}
