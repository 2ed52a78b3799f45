namespace Ambrosia.Client;

/// <summary>
/// The connections to a name, which may stand for several hosts, of which one serves; and a connection stays with the host that it has
/// reached. So when that one does not serve, new connections take its place, to the next host of the name. Used by several threads at once.
/// </summary>
/// <typeparam name="T">Connections.</typeparam>
/// <param name="open">Opens some, of which the first one goes to the host of this number.</param>
/// <param name="time">Clock.</param>
internal sealed class HostsInTurn<T>(Func<int, T> open, TimeProvider time) : IDisposable
    where T : class, IDisposable
{
    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(1); // Many requests fail at once.
    private readonly object _gate = new();
    private Used? _current;
    private int _host;
    private bool _isDisposed;

    /// <summary>
    /// Makes a request. If a host shows a certificate that is not trusted, nothing was sent, and the next one is asked: it throws only if
    /// all that were tried do so.
    /// </summary>
    /// <param name="ask">Makes it; whether its host may serve is told with the reply.</param>
    /// <param name="judge">What a failure says of the host.</param>
    /// <param name="count">How many hosts there are.</param>
    public async Task<TReply> AskAsync<TReply>(
        Func<T, Task<(TReply Reply, bool Serves)>> ask, Func<Exception, HostState> judge, Func<Task<int>> count)
    {
        var untrusted = new HashSet<int>();
        for (int? hosts = null; ; )
        {
            Used used = Take();
            HostState state = HostState.Away;
            try
            {
                (TReply reply, bool serves) = await ask(used.Connections).ConfigureAwait(false);
                state = serves ? HostState.Serves : HostState.Away;
                return reply;
            }
            catch (Exception error) when ((state = judge(error)) == HostState.Untrusted)
            {
                hosts ??= await count().ConfigureAwait(false);
                if (!untrusted.Add((int)((uint)used.Host % (uint)hosts)) || untrusted.Count == hosts)
                {
                    throw;
                }
            }
            finally
            {
                Return(used, state);
            }
        }
    }

    /// <summary>Those of now. They are given back.</summary>
    /// <exception cref="ObjectDisposedException">They are closed.</exception>
    public Used Take()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _current ??= new Used(open(_host), _host, time.GetTimestamp());
            _current.Requests++;
            return _current;
        }
    }

    /// <summary>A request has ended. Others that wait for their answers there go on waiting.</summary>
    /// <param name="used">What it was sent by.</param>
    /// <param name="state">What is known of the host that it has reached; the next one is tried from now on if it does not serve.</param>
    public void Return(Used used, HostState state)
    {
        lock (_gate)
        {
            used.Requests--;
            if (used == _current && (state == HostState.Untrusted
                || (state == HostState.Away && time.GetElapsedTime(used.Opened) >= s_between)))
            {
                _current = null;
                _host++;
            }

            if (used.Requests == 0 && used != _current)
            {
                used.Connections.Dispose();
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _current?.Connections.Dispose();
        }
    }

    /// <summary>Some of them.</summary>
    internal sealed class Used(T connections, int host, long opened)
    {
        /// <summary>They.</summary>
        public T Connections => connections;

        /// <summary>Number of the host that they try first.</summary>
        public int Host => host;

        /// <summary>When they were opened, by the clock.</summary>
        public long Opened => opened;

        /// <summary>Requests that use them. Looked at under the lock.</summary>
        public int Requests { get; set; }
    }
}
