namespace Ambrosia.Client;

/// <summary>
/// The token that a try shows: the same each time, or whatever a function or a file says by then. Used by several threads at once.
/// </summary>
internal sealed class TokenSource
{
    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(1);
    private readonly object _gate = new();
    private readonly Func<CancellationToken, ValueTask<string>>? _ask;
    private readonly string? _file;
    private readonly TimeProvider _time;
    private string? _token;
    private long _read;

    /// <summary>What the options say.</summary>
    /// <exception cref="ArgumentException">The token, or what the file holds, is none.</exception>
    public TokenSource(AmbrosiaClientOptions options, TimeProvider time)
    {
        (_ask, _file, _time, _token) = (options.GetToken, options.TokenFile, time, options.Token);
        if (_file is not null)
        {
            (_token, _read) = (Read(_file, out string reason), time.GetTimestamp());
            _ = _token ?? throw new ArgumentException($"TokenFile {_file} cannot be used: {reason}");
        }
        else if (_token is not null && !IsToken(_token))
        {
            throw new ArgumentException(
                "Token is empty, begins or ends with a space, or has a character that is no visible ASCII, such as the end of a line.");
        }
    }

    /// <summary>The token of a try that begins now; null for none.</summary>
    /// <exception cref="InvalidOperationException">What the function gave is no token.</exception>
    public async ValueTask<string?> GetAsync(CancellationToken stop)
    {
        if (_ask is not null)
        {
            string token = await _ask(stop).ConfigureAwait(false);
            return IsToken(token) ? token : throw new InvalidOperationException("What GetToken gave is no token of visible ASCII.");
        }

        return _file is null ? _token : OfFile(_file);
    }

    /// <summary>The token after one was refused; null if there is no other one.</summary>
    /// <exception cref="InvalidOperationException">What the function gave is no token.</exception>
    public async ValueTask<string?> RenewAsync(string refused, CancellationToken stop)
    {
        string? token = _file is null ? await GetAsync(stop).ConfigureAwait(false) : OfFile(_file, isRefused: true);
        return token == refused ? null : token;
    }

    // A file that is being replaced cannot be used for a moment: its last token stays.
    private string? OfFile(string file, bool isRefused = false)
    {
        lock (_gate)
        {
            if (isRefused || _time.GetElapsedTime(_read) >= s_between)
            {
                (_token, _read) = (Read(file, out _) ?? _token, _time.GetTimestamp());
            }

            return _token;
        }
    }

    private static string? Read(string file, out string reason)
    {
        try
        {
            string token = File.ReadAllText(file).Trim();
            reason = "it holds no token of visible ASCII";
            return IsToken(token) ? token : null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            reason = error.Message;
            return null;
        }
    }

    // A header with anything else would be left out without a word.
    private static bool IsToken(string? token) =>
        token is { Length: > 0 } && token.Trim(' ').Length == token.Length && token.All(static c => c is >= ' ' and <= '~');
}
