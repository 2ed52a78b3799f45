using Ambrosia.ImmortalCoordinator.Transport;

namespace Ambrosia.ImmortalCoordinator.Peers;

/// <summary>Connections to an instance: whoever proves to be another one gets no Hello.</summary>
internal static class PeerDial
{
    /// <summary>Opens one.</summary>
    /// <exception cref="IOException">Nobody answers, or it is not that instance.</exception>
    public static async ValueTask<IConnection> ConnectAsync(ITransport transport, EndPointName address, string destination)
    {
        IConnection connection = await transport.ConnectAsync(address, CancellationToken.None);
        if (connection.ProvenName is { } proven && proven != destination)
        {
            await connection.DisposeAsync();
            throw new ConnectFailedException(address, $"IC-4013 {destination} was looked for, and the certificate there is that of {proven}");
        }

        return connection;
    }
}
