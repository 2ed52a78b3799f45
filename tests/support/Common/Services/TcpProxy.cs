using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Services;

/// <summary>Stands between a store and its service, and does what networks do.</summary>
internal sealed class TcpProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly int _target;
    private readonly List<TcpClient> _clients = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _accepting;
    private TaskCompletionSource _flows = Flowing();
    private volatile bool _refuses;
    private int _swallow;
    private volatile int _accepted;
    private volatile int _silent;

    /// <summary>Leads to a port of this machine.</summary>
    public TcpProxy(int target)
    {
        _target = target;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Answers that never arrived.</summary>
    public int Swallowed { get; private set; }

    /// <summary>The next answer is thrown away, and its connection with it: what was asked has happened, and nobody knows.</summary>
    public void SwallowNextAnswer() => Volatile.Write(ref _swallow, 1);

    /// <summary>No byte passes from now on, and no connection ends.</summary>
    public void Freeze() => _flows = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Over the connections that there are no byte passes any more, and none of them ends; others are not concerned.</summary>
    public void SilenceConnections() => _silent = _accepted;

    /// <summary>What waited passes, and all that follows.</summary>
    public void Thaw() => _flows.TrySetResult();

    /// <summary>Ends all connections, and every later one at once.</summary>
    public void Refuse()
    {
        _refuses = true;
        lock (_clients)
        {
            _clients.ForEach(static client => client.Dispose());
            _clients.Clear();
        }
    }

    /// <summary>Connections are let through again.</summary>
    public void Accept() => _refuses = false;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Thaw();
        Refuse();
        _listener.Stop();
        await _accepting;
        _stop.Dispose();
    }

    private static TaskCompletionSource Flowing()
    {
        var flows = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        flows.SetResult();
        return flows;
    }

    private async Task AcceptAsync()
    {
        var pumps = new List<Task>();
        try
        {
            while (true)
            {
                TcpClient client = await _listener.AcceptTcpClientAsync(_stop.Token);
                if (_refuses)
                {
                    client.Dispose();
                    continue;
                }

                var server = new TcpClient { NoDelay = true };
                client.NoDelay = true;
                await server.ConnectAsync(IPAddress.Loopback, _target, _stop.Token);
                lock (_clients)
                {
                    _clients.AddRange([client, server]);
                }

                int number = ++_accepted;
                pumps.Add(PumpAsync(client, server, number, answers: false));
                pumps.Add(PumpAsync(server, client, number, answers: true));
            }
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(pumps);
        }
    }

    private async Task PumpAsync(TcpClient from, TcpClient to, int number, bool answers)
    {
        try
        {
            byte[] buffer = new byte[1 << 16];
            int read;
            while ((read = await from.GetStream().ReadAsync(buffer)) > 0)
            {
                await _flows.Task;
                if (number <= _silent)
                {
                    await Task.Delay(Timeout.Infinite, _stop.Token);
                }

                if (answers && Interlocked.Exchange(ref _swallow, 0) == 1)
                {
                    Swallowed++;
                    break;
                }

                await to.GetStream().WriteAsync(buffer.AsMemory(0, read));
            }
        }
        catch (Exception error)
            when (error is IOException or ObjectDisposedException or InvalidOperationException or OperationCanceledException)
        {
            // One side has gone; so goes the other.
        }

        from.Dispose();
        to.Dispose();
    }
}
