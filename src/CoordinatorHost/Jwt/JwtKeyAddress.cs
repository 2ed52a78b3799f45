using System.Text;
using Ambrosia.Coordinator.Context;
using Ambrosia.Primitives.Sockets;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>
/// Keys that the issuer publishes at an address. They are asked for at the start, every ten minutes of use, and when a token names a key
/// that is not among them, once in ten seconds at most. After an hour without use they are waited for, as one may have been taken away.
/// While the issuer is away, the last ones are used on.
/// </summary>
internal sealed class JwtKeyAddress : IJwtKeySource
{
    private const int MaxBytes = 1 << 20;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_used = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_old = TimeSpan.FromHours(1);
    private readonly object _gate = new();
    private readonly Uri _address;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _closing = new();
    private readonly HttpClient _client = new(
        new SocketErrorHandler(new SocketsHttpHandler { AllowAutoRedirect = false, ConnectTimeout = s_patience }))
        { Timeout = s_patience, MaxResponseContentBufferSize = MaxBytes };

    private JwtKeys? _current;
    private string _text = "";
    private string _trouble = "";
    private Task _asking = Task.CompletedTask;
    private long? _asked;

    /// <summary>Begins to ask.</summary>
    public JwtKeyAddress(Uri address, TimeProvider time, ILogger logger)
    {
        (_address, _time, _logger) = (address, time, logger);
        _ = Ask();
    }

    /// <inheritdoc/>
    public JwtKeys? Current
    {
        get
        {
            lock (_gate)
            {
                if (WasAsked(s_used))
                {
                    _ = Ask();
                }

                return _current;
            }
        }
    }

    /// <inheritdoc/>
    public bool IsOld
    {
        get
        {
            lock (_gate)
            {
                return WasAsked(s_old);
            }
        }
    }

    /// <inheritdoc/>
    public Task RenewAsync(CancellationToken stop) => Ask().WaitAsync(stop);

    /// <inheritdoc/>
    public void Dispose()
    {
        _closing.Cancel();
        _client.Dispose();
    }

    // With the gate held: the last time was so long ago, or longer.
    private bool WasAsked(TimeSpan ago) => _asked is { } asked && _time.GetElapsedTime(asked) >= ago;

    // All who need them at one time wait for one answer.
    private Task Ask()
    {
        lock (_gate)
        {
            if (_asking.IsCompleted && (_asked is null || WasAsked(s_between)))
            {
                _asked = _time.GetTimestamp();
                _asking = AskAsync();
            }

            return _asking;
        }
    }

    private async Task AskAsync()
    {
        await Task.Yield(); // Not while the gate is held.
        try
        {
            // JSON is UTF-8. What an answer says of its encoding is not asked: an unknown one would be an error of another kind.
            string text = Encoding.UTF8.GetString(await _client.GetByteArrayAsync(_address, _closing.Token)).TrimStart('\uFEFF');
            var keys = JwtKeys.Parse(text);
            _trouble = "";
            if (text == _text)
            {
                return; // What was verified by them stays.
            }

            lock (_gate)
            {
                (_current, _text) = (keys, text);
            }

            CoordinatorLog.JwtKeysRead(_logger, keys.Count, _address.ToString());
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException
            or FormatException or ObjectDisposedException)
        {
            if (!_closing.IsCancellationRequested && _trouble != error.Message)
            {
                _trouble = error.Message;
                CoordinatorLog.JwtKeysStay(_logger, _address.ToString(), error.Message);
            }
        }
    }
}
