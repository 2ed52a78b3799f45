using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>Connections to an instance: a process that proves to be another one gets no Hello.</summary>
internal static class PeerDial
{
    /// <summary>Where an instance lives; null for one that the catalog does not know.</summary>
    /// <exception cref="ProtocolException">The catalog cannot be read. That must not stop an instance: it is asked again.</exception>
    public static async ValueTask<CatalogEntry?> LookUpAsync(ICatalog catalog, string destination)
    {
        try
        {
            return (await catalog.GetAsync(destination))?.Entry;
        }
        catch (IOException error)
        {
            throw new ProtocolException($"the catalog cannot be read: {error.Message}", 0);
        }
    }

    /// <summary>Opens one.</summary>
    /// <exception cref="IOException">Nobody answers, or it is not that instance.</exception>
    public static async ValueTask<IConnection> ConnectAsync(ITransport transport, EndPointName address, string destination)
    {
        IConnection connection = await transport.ConnectAsync(address, CancellationToken.None);
        if (connection.ProvenName is { } proven && proven != destination)
        {
            await connection.DisposeAsync();
            throw new ConnectFailedException(address,
                $"{PeerErrors.CertificateOfAnother} {destination} was looked for, and the certificate there is that of {proven}");
        }

        return connection;
    }
}
