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

    /// <summary>Those of now. They are given back.</summary>
    /// <exception cref="ObjectDisposedException">They are closed.</exception>
    public Used Take()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _current ??= new Used(open(_host), time.GetTimestamp());
            _current.Requests++;
            return _current;
        }
    }

    /// <summary>A request has ended. Others that wait for their answers there go on waiting.</summary>
    /// <param name="used">What it was sent by.</param>
    /// <param name="serves">Whether the host that it has reached may serve; the next one is tried from now on if not.</param>
    public void Return(Used used, bool serves)
    {
        lock (_gate)
        {
            used.Requests--;
            if (!serves && used == _current && time.GetElapsedTime(used.Opened) >= s_between)
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
    internal sealed class Used(T connections, long opened)
    {
        /// <summary>They.</summary>
        public T Connections => connections;

        /// <summary>When they were opened, by the clock.</summary>
        public long Opened => opened;

        /// <summary>Requests that use them. Looked at under the lock.</summary>
        public int Requests { get; set; }
    }
}
