using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost.Options;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Places;

/// <summary>
/// What one coordinator has noted of where it answers, for as long as it does. It is for people: without it they name the address.
/// </summary>
internal sealed class ServingNote(CoordinatorOptions options, ILogger logger) : IDisposable
{
    private string? _file;

    /// <summary>Notes where it answers.</summary>
    public void Write(EndPointName admin)
    {
        EndPointName address = admin.Scheme == EndPointScheme.Unix ? EndPointName.Unix(Path.GetFullPath(admin.Host)) : admin;
        string token = options.AdminTokenFile.Length == 0 ? "" : Path.GetFullPath(options.AdminTokenFile);
        try
        {
            _file = new ServingFolder(options.ServingFolder).Write(new ServingEntry(
                options.InstanceName, options.Store, options.ReplicaId, address, token, NamedProcess.Current, NamedProcess.Machine));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            CoordinatorLog.AdminNotNoted(logger, options.InstanceName, error.Message);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            if (_file is not null)
            {
                File.Delete(_file);
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Its process ends, and what is left says of it that it does.
        }
    }
}
