using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Client;

/// <summary>
/// The connections of HTTP to whatever URLs lead to. A name may stand for several hosts, of which one serves, and a connection stays with
/// the host that it has reached: when that one does not serve, new connections take its place, to the next host of the name. Used by
/// several threads at once.
/// </summary>
internal sealed class HttpConnections(X509Certificate2Collection? authorities, TimeProvider time) : IDisposable
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
            _current ??= new Used(Open(_host), time.GetTimestamp());
            _current.Requests++;
            return _current;
        }
    }

    /// <summary>A request has ended.</summary>
    /// <param name="used">What it was sent by.</param>
    /// <param name="serves">Whether the host that it has reached may serve; others are tried from now on if not.</param>
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
                used.Client.Dispose();
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _current?.Client.Dispose();
        }
    }

    // Nothing of this process's own goes along, and no trace has the URL: a URL may be a permission, and lead anywhere.
    private HttpMessageInvoker Open(int host)
    {
        SocketsHttpHandler handler = Hosts.Open(host, authorities);
        handler.ActivityHeadersPropagator = null;
        return new HttpMessageInvoker(handler);
    }

    /// <summary>Some of them.</summary>
    internal sealed class Used(HttpMessageInvoker client, long opened)
    {
        /// <summary>Sends requests.</summary>
        public HttpMessageInvoker Client => client;

        /// <summary>When they were opened, by the clock.</summary>
        public long Opened => opened;

        /// <summary>Requests that use them. Looked at under the lock.</summary>
        public int Requests { get; set; }
    }
}
