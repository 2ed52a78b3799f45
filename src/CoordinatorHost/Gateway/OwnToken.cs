using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// The token that a gateway shows to instances. Its file is read again at most once a second, so that it may be replaced.
/// </summary>
internal sealed class OwnToken
{
    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(1);
    private readonly object _gate = new();
    private readonly string _path;
    private readonly TimeProvider _time;
    private string _token;
    private long _read;

    /// <summary>Reads a file; makes it if there is none.</summary>
    /// <exception cref="CoordinatorException">It cannot be used (IC-1008).</exception>
    public OwnToken(string path, TimeProvider time) =>
        (_path, _time, _token, _read) = (path, time, Read(path), time.GetTimestamp());

    /// <summary>What an instance has of it in its file of tokens.</summary>
    public string Hash => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(_token))).ToLowerInvariant();

    /// <summary>The token. While its file cannot be used, the last one.</summary>
    public string Get()
    {
        lock (_gate)
        {
            if (_time.GetElapsedTime(_read) >= s_between)
            {
                _read = _time.GetTimestamp();
                try
                {
                    _token = File.Exists(_path) ? Read(_path) : _token;
                }
                catch (CoordinatorException)
                {
                    // It is just being replaced.
                }
            }

            return _token;
        }
    }

    private static string Read(string path) => TokenFile.LoadOrMake(path, "--token-file", groupMayRead: true, new SystemEntropy());
}
