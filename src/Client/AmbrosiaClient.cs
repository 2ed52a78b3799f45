using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Serialization;

namespace Ambrosia.Client;

/// <summary>
/// Calls immortals from an ordinary process. Each call runs once, and is tried until it is answered, for as long as this process lives.
/// One for a process is enough; used by several threads at once.
/// </summary>
public sealed class AmbrosiaClient : IDisposable
{
    private readonly ConcurrentDictionary<string, Lazy<CallSender>> _senders = new(StringComparer.Ordinal);
    private readonly AmbrosiaClientOptions _options;
    private readonly CallerCodec _codec;
    private readonly TimeProvider _time;
    private readonly X509Certificate2Collection? _authorities;
    private readonly TokenSource _token;
    private readonly AwakeableSender _awakeables;
    private volatile bool _isDisposed;

    /// <summary>A client. Connections are opened by the first calls.</summary>
    /// <param name="options">Where, as whom, how long.</param>
    /// <param name="time">Clock; null for the system's.</param>
    /// <exception cref="ArgumentException">An option cannot be.</exception>
    public AmbrosiaClient(AmbrosiaClientOptions options, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Checked();
        _codec = new CallerCodec(_options.Resolver);
        _time = time ?? TimeProvider.System;
        _authorities = _options.TrustedAuthorities();
        _token = new TokenSource(_options, _time);
        _awakeables = new AwakeableSender(_options, _token, _authorities, _time);
    }

    /// <summary>A client for immortals at one address, or at several of its replicas.</summary>
    /// <param name="addresses">The addresses, such as <c>http://127.0.0.1:8080</c>.</param>
    public static AmbrosiaClient For(params string[] addresses)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        var options = new AmbrosiaClientOptions();
        foreach (string address in addresses)
        {
            options.Addresses.Add(address);
        }

        return new AmbrosiaClient(options);
    }

    /// <summary>An immortal, by its name. Nothing is asked yet.</summary>
    /// <typeparam name="T">The generated client of its interface, such as <c>BankClient</c> for <c>IBank</c>.</typeparam>
    /// <param name="instance">Its name.</param>
    /// <exception cref="ArgumentException">The name is none, or there is no address for it.</exception>
    /// <exception cref="ObjectDisposedException">This client has been disposed.</exception>
    public T Get<T>(string instance)
        where T : ImmortalClient, new()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (!InstanceName.IsValid(instance))
        {
            throw new ArgumentException($"'{instance}' is no name of an instance.", nameof(instance));
        }

        CallSender sender = _senders.GetOrAdd(instance, static (name, self) => new Lazy<CallSender>(() => self.Open(name)), this).Value;
        if (_isDisposed)
        {
            sender.Dispose(); // Opened while others were closed.
        }

        var client = new T();
        client.Bind(sender, null);
        return client;
    }

    /// <summary>
    /// Completes an awakeable, once: the same value again is taken again. It is sent until it is taken or refused, for as long as
    /// <see cref="AmbrosiaClientOptions.Deadline"/> says. The URL is the permission. A token is shown only at addresses of the options,
    /// such as a gateway's.
    /// </summary>
    /// <typeparam name="T">
    /// The type of the value: its public members are written, by System.Text.Json. What that writes otherwise than
    /// docs/guide/calls-from-outside.md says, such as tuples, can be given as a <see cref="System.Text.Json.Nodes.JsonNode"/>.
    /// </typeparam>
    /// <param name="url">The <c>Url</c> that the immortal has given away.</param>
    /// <param name="value">What its <c>await</c> gives.</param>
    /// <param name="cancellationToken">Ends it. It may have been completed.</param>
    /// <exception cref="ArgumentException">That is no URL of an awakeable.</exception>
    /// <exception cref="CallRefusedException">
    /// It was refused. <see cref="CallRefusedException.Code"/>: IC-7020, it was completed otherwise, rejected or closed, its time is over,
    /// or, told to a repeat, it was taken more than a day ago; IC-7019, there is no such one; IC-7021, the value is not what it takes, and
    /// nothing has changed. Empty: something on the way has answered.
    /// </exception>
    /// <exception cref="CallNotAnsweredException">There was no answer in time. It may have been completed.</exception>
    /// <exception cref="System.Text.Json.JsonException">The value holds itself.</exception>
    /// <exception cref="NotSupportedException">System.Text.Json cannot write the value.</exception>
    /// <exception cref="ObjectDisposedException">This client has been disposed.</exception>
    public async Task CompleteAsync<T>(string url, T value, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        await _awakeables.SendAsync(url, rejects: false, AwakeableJson.Of(value), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Rejects an awakeable: its <c>await</c> throws. Otherwise as <see cref="CompleteAsync"/>.</summary>
    /// <param name="url">The <c>Url</c> that the immortal has given away.</param>
    /// <param name="reason">Why, for people, in up to 8,192 bytes of UTF-8; null for no reason.</param>
    /// <param name="cancellationToken">Ends it. It may have been rejected.</param>
    /// <exception cref="ArgumentException">That is no URL of an awakeable, or the reason is too long.</exception>
    /// <exception cref="CallRefusedException">It was refused: completed, rejected or closed before, or its time is over.</exception>
    /// <exception cref="CallNotAnsweredException">There was no answer in time. It may have been rejected.</exception>
    /// <exception cref="ObjectDisposedException">This client has been disposed.</exception>
    public async Task RejectAsync(string url, string? reason = null, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        await _awakeables.SendAsync(url, rejects: true, AwakeableJson.OfReason(reason), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes the connections. Calls that wait end with an <see cref="ObjectDisposedException"/>, and may have run.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _awakeables.Dispose();
        foreach (Lazy<CallSender> sender in _senders.Values.Where(static sender => sender.IsValueCreated))
        {
            sender.Value.Dispose();
        }
    }

    private CallSender Open(string instance) => new(
        instance, new InstanceChannel(_options.AddressesOf(instance), _token, _authorities, _time), _codec, _options.Deadline,
        _options.MaxConcurrentCalls, new Outage(instance, _options.Logger, _time), _time);
}
