using System.Net;
using System.Net.Sockets;
using Ambrosia.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Link;

/// <summary>Connects to a coordinator that may not be ready yet.</summary>
internal sealed class Connector(TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_quietTime = TimeSpan.FromSeconds(2);

    /// <summary>Tries until it is connected, the time is over or the coordinator that is being waited for has ended.</summary>
    /// <exception cref="CoordinatorUnavailableException">It did not work.</exception>
    public async Task<Socket> ConnectAsync(ImmortalOptions options, string address, EmbeddedCoordinator? coordinator, CancellationToken stop)
    {
        EndPoint endPoint = BindingAddress.Parse(address);
        long start = time.GetTimestamp();
        TimeSpan pause = TimeSpan.FromMilliseconds(5);
        bool told = false;
        while (true)
        {
            coordinator?.ThrowIfEnded();
            SocketException? refused;
            try
            {
                return await SocketLink.ConnectAsync(endPoint, stop);
            }
            catch (SocketException error)
            {
                refused = error;
            }

            TimeSpan elapsed = time.GetElapsedTime(start);
            if (elapsed > options.ConnectTimeout)
            {
                throw new CoordinatorUnavailableException(
                    $"No coordinator accepted {options.InstanceName} at {address} within {options.ConnectTimeout.TotalSeconds:0} s ({refused.SocketErrorCode}).{AdviceOn(refused)}{coordinator?.LastLines()}");
            }

            if (elapsed > s_quietTime && !told)
            {
                told = true;
                BindingLog.Waiting(logger, options.InstanceName, address);
            }

            await Task.Delay(pause, time, stop);
            pause = pause * 1.5 < s_longestPause ? pause * 1.5 : s_longestPause;
        }
    }

    private static string AdviceOn(SocketException refused) => refused.SocketErrorCode == SocketError.AccessDenied
        ? " The socket is for another user: run app and coordinator as the same one, or make this one a member of the coordinator's --binding-group."
        : "";
}
