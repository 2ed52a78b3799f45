using System.Net.Sockets;
using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>
/// Watches a connection until the coordinator welcomes the app: the system takes connections for a process that hangs, too. The connection
/// is ended when the time to wait for a coordinator is over.
/// </summary>
internal sealed class WelcomeWatch : IDisposable
{
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(40); // Of a timer.
    private readonly ImmortalOptions _options;
    private readonly string _address;
    private readonly Socket _socket;
    private readonly ServingMonitor _monitor;
    private readonly ILogger _logger;
    private readonly bool _isOwn;
    private readonly ITimer _quiet;
    private readonly ITimer _end;
    private volatile bool _isOver;

    /// <summary>Watches a connection from now on.</summary>
    /// <param name="options">Whose connection it is, and how long it waits.</param>
    /// <param name="address">Where it leads.</param>
    /// <param name="socket">The connection.</param>
    /// <param name="isOwn">True for a coordinator that the app has started, which counts as starting until it ends.</param>
    /// <param name="time">Clock.</param>
    /// <param name="logger">The app's log.</param>
    /// <param name="monitor">Knows whether the coordinator has welcomed the app.</param>
    public WelcomeWatch(
        ImmortalOptions options, string address, Socket socket, bool isOwn, TimeProvider time, ILogger logger, ServingMonitor monitor)
    {
        (_options, _address, _socket, _isOwn, _logger, _monitor) = (options, address, socket, isOwn, logger, monitor);
        _quiet = time.CreateTimer(static watch => ((WelcomeWatch)watch!).Tell(), this, Connector.QuietTime, Timeout.InfiniteTimeSpan);
        TimeSpan end = options.ConnectTimeout < s_longest ? options.ConnectTimeout : Timeout.InfiniteTimeSpan;
        _end = time.CreateTimer(static watch => ((WelcomeWatch)watch!).End(), this, end, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What became of the connection that has ended; null if the coordinator had answered.</summary>
    public CoordinatorUnavailableException? Failure => !_isOver ? null : new CoordinatorUnavailableException(
        $"What listens at {_address} has taken the connection of {_options.InstanceName} and has not answered within "
        + $"{_options.ConnectTimeout.TotalSeconds:0} s: the coordinator hangs, or it is none.");

    /// <inheritdoc/>
    public void Dispose()
    {
        _quiet.Dispose();
        _end.Dispose();
    }

    private void Tell()
    {
        if (!_monitor.IsWelcomed)
        {
            BindingLog.Waiting(_logger, _options.InstanceName, _address);
        }

        if (!_isOwn)
        {
            _monitor.LoseUnlessWelcomed($"what listens at {_address} has taken its connection and does not answer");
        }
    }

    private void End()
    {
        if (_monitor.IsWelcomed)
        {
            return;
        }

        _isOver = true;
        try
        {
            _socket.Shutdown(SocketShutdown.Both); // The session reads its end.
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            // It has ended by itself.
        }
    }
}
