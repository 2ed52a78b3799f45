using System.Net;
using System.Net.Sockets;
using Ambrosia.Link;
using Ambrosia.Primitives.Sockets;
using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>Connects to a coordinator that may not be ready yet.</summary>
internal sealed class Connector(TimeProvider time, ILogger logger, ServingMonitor monitor)
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMilliseconds(200);

    /// <summary>How long nobody is told that the app waits.</summary>
    public static TimeSpan QuietTime { get; } = TimeSpan.FromSeconds(2);

    /// <summary>Tries until it is connected, the time is over or the coordinator that is being waited for has ended.</summary>
    /// <exception cref="CoordinatorUnavailableException">It did not work.</exception>
    public async Task<Socket> ConnectAsync(ImmortalOptions options, string address, EmbeddedCoordinator? coordinator,
        CancellationToken stop)
    {
        EndPoint endPoint = BindingAddress.Parse(address);
        uint? allowed = CoordinatorUser.Parse(options.CoordinatorUser);
        long start = time.GetTimestamp();
        TimeSpan pause = TimeSpan.FromMilliseconds(5);
        bool told = false;
        while (true)
        {
            if (coordinator is not null)
            {
                await coordinator.ThrowIfEndedAsync();
            }

            SocketException? refused;
            try
            {
                return Checked(await TryAsync(endPoint, options.ConnectTimeout - time.GetElapsedTime(start), stop), address, allowed);
            }
            catch (SocketException error)
            {
                refused = error;
            }

            TimeSpan elapsed = time.GetElapsedTime(start);
            if (elapsed > options.ConnectTimeout)
            {
                throw new CoordinatorUnavailableException(
                    $"No coordinator accepted {options.InstanceName} at {address} within {options.ConnectTimeout.TotalSeconds:0} s "
                    + $"({refused.SocketErrorCode}).{AdviceOn(refused)}{coordinator?.LastLines()}");
            }

            if (elapsed > QuietTime && !told)
            {
                told = true;
                BindingLog.Waiting(logger, options.InstanceName, address);
                if (coordinator is null)
                {
                    monitor.Lost($"nobody accepts it at {address} ({refused.SocketErrorCode})");
                }
            }

            await Task.Delay(pause, time, stop);
            pause = pause * 1.5 < s_longestPause ? pause * 1.5 : s_longestPause;
        }
    }

    // A host that drops what it is sent, or a queue that is full, answers nothing for minutes: somebody must be told before.
    private async Task<Socket> TryAsync(EndPoint endPoint, TimeSpan left, CancellationToken stop)
    {
        using var limit = new CancellationTokenSource(left < QuietTime ? left > s_shortest ? left : s_shortest : QuietTime, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stop);
        try
        {
            return await SocketLink.ConnectAsync(endPoint, either.Token);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            throw new SocketException((int)SocketError.TimedOut);
        }
    }

    // Before anything is sent: the path of a socket can be guessed, and the process that listens there is shown the token and may hand over
    // any state.
    private static Socket Checked(Socket socket, string address, uint? allowed)
    {
        if (!Platform.UsesLinuxCalls || SocketUser.Of(socket)?.ListenerObjection(SocketCalls.EffectiveUser(), allowed) is not { } reason)
        {
            return socket;
        }

        socket.Dispose();
        throw new CoordinatorUnavailableException(
            $"What listens at {address} is not believed: {reason}. It was told nothing. "
            + "If this is the coordinator, name its user with --coordinator-user (AMBROSIA_COORDINATOR_USER).");
    }

    private static string AdviceOn(SocketException refused) => refused.SocketErrorCode == SocketError.AccessDenied
        ? " The socket is for another user: run app and coordinator as the same one, or make this one a member of the coordinator's "
        + "--binding-group."
        : "";
}
