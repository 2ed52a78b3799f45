using System.Text.Json;
using System.Xml;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Stores;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Data.Tables;
using Azure.Identity;
using Azure.Storage;
using Azure.Storage.Blobs;

namespace Ambrosia.LogStore.Azure;

/// <summary>One storage account: how its services are spoken to, what their failures mean here, and when a call is made again.</summary>
internal sealed class AzureAccount
{
    // Each request over a connection of its own: what renews a lease meets neither one that is broken and not known to be, nor requests
    // that wait for an answer.
    private static readonly SocketsHttpHandler s_unpooled = new()
        { PooledConnectionLifetime = TimeSpan.Zero, AllowAutoRedirect = false, UseCookies = false };
    private static readonly HttpClient s_newConnections = new(s_unpooled) { Timeout = Timeout.InfiniteTimeSpan };

    private readonly StoreSecret _source;
    private readonly LogStoreEnvironment _environment;
    private readonly TimeSpan _lease;
    private readonly Lazy<AzureCredentials> _credentials;
    private AzureSecret? _current;

    /// <summary>Nothing is asked yet.</summary>
    /// <param name="address">Where it is.</param>
    /// <param name="secret">What opens it.</param>
    /// <param name="lease">Time of a lease, or <see cref="ServiceRetry.CatalogTime"/>. A call that gets no answer is made again for twice
    /// as long: a holder ends for the lease, not for the call.</param>
    /// <param name="environment">Clock and log.</param>
    public AzureAccount(AzureAddress address, StoreSecret secret, TimeSpan lease, LogStoreEnvironment environment)
    {
        (Address, _source, _lease, _environment) = (address, secret, lease, environment);
        _credentials = new(MakeCredentials);
    }

    /// <summary>Where it is.</summary>
    public AzureAddress Address { get; }

    /// <summary>A client of the container. It makes no call a second time by itself: only we know what may be done twice.</summary>
    public BlobContainerClient OpenContainer(bool newConnections = false)
    {
        BlobClientOptions options = Configure(new BlobClientOptions());
        options.Transport = newConnections ? new HttpClientTransport(s_newConnections) : options.Transport;
        AzureCredentials shown = _credentials.Value;
        BlobServiceClient service = shown.BlobKey is not null ? new BlobServiceClient(Address.Service, shown.BlobKey, options)
            : shown.Signature is not null ? new BlobServiceClient(Address.Service, shown.Signature, options)
            : new BlobServiceClient(Address.Service, shown.Token!, options);
        return service.GetBlobContainerClient(Address.Name);
    }

    /// <summary>A client of the table. It makes no call a second time by itself, as that of the container.</summary>
    /// <exception cref="LogStoreException">There is no usable secret, or it must not be shown there (IC-2045).</exception>
    public TableClient OpenTable()
    {
        TableClientOptions options = Configure(new TableClientOptions());
        AzureCredentials shown = _credentials.Value;
        if (shown.Signature is not null && Address.IsPlain && !Address.Service.IsLoopback)
        {
            const string what = "a signature is shown to tables over TLS only, except on this machine";
            throw new LogStoreException(StoreErrors.StoreRefuses, what, Address.Location, "nothing was touched",
                "set AZURE_STORAGE_KEY, or leave tls=off away");
        }

        TableServiceClient service = shown.TableKey is not null ? new TableServiceClient(Address.Service, shown.TableKey, options)
            : shown.Signature is not null ? new TableServiceClient(Address.Service, shown.Signature, options)
            : new TableServiceClient(Address.Service, shown.Token!, options);
        return service.GetTableClient(Address.Name);
    }

    /// <summary>
    /// Calls again while the service does not answer, or asks for less. What an answer such as "not there" or "condition not met" means,
    /// the call itself knows; what it lets pass is a refusal and ends with IC-2045.
    /// </summary>
    public ValueTask<T> TryAsync<T>(Func<ValueTask<T>> call) => TryWithinAsync(call, 2 * _lease, CancellationToken.None);

    /// <summary>Calls once, except that a secret may have been changed.</summary>
    public ValueTask<T> TryOnceAsync<T>(Func<ValueTask<T>> call, CancellationToken cancellationToken) =>
        TryWithinAsync(call, TimeSpan.Zero, cancellationToken);

    private async ValueTask<T> TryWithinAsync<T>(Func<ValueTask<T>> call, TimeSpan patience, CancellationToken cancellationToken)
    {
        var retry = new ServiceRetry(_environment, Address.Location, patience);
        bool renewed = false;
        while (true)
        {
            try
            {
                return await call();
            }
            catch (Exception error) when (IsPassing(error))
            {
                cancellationToken.ThrowIfCancellationRequested();
                await retry.PauseAsync(error, cancellationToken);
            }
            catch (RequestFailedException error)
            {
                if (renewed || error.Status is not (401 or 403) || !TryRenewSecret())
                {
                    throw Refused($"{error.Status} {error.ErrorCode ?? FirstLine(error)}", error);
                }

                renewed = true;
            }
            catch (AuthenticationFailedException error)
            {
                throw Refused(FirstLine(error), error);
            }
        }
    }

    /// <summary>Whether the same call may succeed a little later: the network or the service, not what was asked.</summary>
    public static bool IsPassing(Exception error) => error switch
    {
        // A success that is called a failure is none of the answers that the call can have: something in between made it up.
        RequestFailedException failed => failed.Status is 0 or 408 or 429 or 500 or 502 or 503 or 504 or (>= 200 and < 300)
            || failed.ErrorCode is "ContainerBeingDeleted" or "TableBeingDeleted",
        LogStoreException => false,
        // An answer that broke off, or did not come within the time for one call.
        _ => error is IOException or OperationCanceledException or XmlException or JsonException,
    };

    private AzureCredentials MakeCredentials()
    {
        _current = AzureSecret.Read(_source, Address.Location);
        if (Address.IsPlain && _current is { Key: null, Signature: null })
        {
            throw new LogStoreException(StoreErrors.StoreRefuses, "no secret is given, and Entra ID serves over TLS only", Address.Location,
                "nothing was touched",
                "set AZURE_STORAGE_KEY, or leave tls=off away");
        }

        return new AzureCredentials(Address.Account, _current);
    }

    /// <summary>
    /// Whether another secret of the same kind was put in the place of the one that is refused: then it is used from now on.
    /// </summary>
    private bool TryRenewSecret()
    {
        AzureSecret now = AzureSecret.Read(_source, Address.Location);
        if (now == _current || !_credentials.Value.TryChange(now))
        {
            return false;
        }

        _current = now;
        return true;
    }

    private T Configure<T>(T options) where T : ClientOptions
    {
        options.Retry.MaxRetries = 0;
        options.Retry.NetworkTimeout = _lease;
        options.Diagnostics.IsLoggingEnabled = false;
        options.Diagnostics.IsTelemetryEnabled = false;
        options.Diagnostics.IsDistributedTracingEnabled = false;
        return options;
    }

    private LogStoreException Refused(string what, Exception error) =>
        new(StoreErrors.StoreRefuses, $"the storage account refuses: {what}", Address.Location, "nothing was changed by what was refused",
            "check account, container or table, secret and rights", error);

    // The lines behind it repeat the whole answer.
    private static string FirstLine(Exception error) => error.Message.Split('\n')[0].TrimEnd();
}
