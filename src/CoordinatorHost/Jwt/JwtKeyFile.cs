using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>Keys in a file. It is read again when it is used a second later.</summary>
internal sealed class JwtKeyFile : IJwtKeySource
{
    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(1);
    private readonly RenewedFiles<JwtKeys> _file;
    private readonly TimeProvider _time;
    private JwtKeys _current;
    private long _looked;

    private JwtKeyFile(string path, TimeProvider time, ILogger logger)
    {
        _time = time;
        _file = new RenewedFiles<JwtKeys>(
            [path], static texts => JwtKeys.Parse(texts[0]),
            keys => CoordinatorLog.JwtKeysRead(logger, keys.Count, path),
            reason => CoordinatorLog.JwtKeysStay(logger, path, reason));
        _current = _file.Current;
        _looked = time.GetTimestamp();
    }

    /// <inheritdoc/>
    public JwtKeys Current
    {
        get
        {
            long looked = Volatile.Read(ref _looked);
            if (_time.GetElapsedTime(looked) >= s_between
                && Interlocked.CompareExchange(ref _looked, _time.GetTimestamp(), looked) == looked)
            {
                Volatile.Write(ref _current, _file.Current);
            }

            return Volatile.Read(ref _current);
        }
    }

    /// <summary>Reads the file.</summary>
    /// <param name="path">Where it is.</param>
    /// <param name="option">The option that names it, for messages.</param>
    /// <param name="time">Clock.</param>
    /// <param name="logger">Receives what becomes of it.</param>
    /// <exception cref="CoordinatorException">It cannot be used (IC-1045).</exception>
    public static JwtKeyFile Load(string path, string option, TimeProvider time, ILogger logger)
    {
        try
        {
            return new JwtKeyFile(path, time, logger);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or FormatException)
        {
            throw new CoordinatorException(
                ProcessErrors.KeySetUnusable, $"the keys of the issuer of tokens cannot be used: {error.Message}", path,
                "nobody was let in", $"correct the file that {option} names: a JSON Web Key Set, as the issuer publishes it", error);
        }
    }

    /// <inheritdoc/>
    public Task RenewAsync(CancellationToken stop)
    {
        Volatile.Write(ref _current, _file.Current);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
