using Ambrosia.LogStore;
using Ambrosia.Shared.Services;

namespace Ambrosia.Simulation.Tests;

/// <summary>The lease of a simulated service: the real rules of renewal and loss, under virtual time.</summary>
internal sealed class ServiceLease : RenewedLease
{
    private readonly ServiceClient _client;

    private ServiceLease(ServiceClient client, long token, long provenAt)
        : base(client.Environment, "service", client.Environment.ProcessName, client.Lease, provenAt) => (_client, Token) = (client, token);

    public long Token { get; }

    /// <summary>Takes it if nobody has it; else null.</summary>
    public static async ValueTask<ServiceLease?> TryAcquireAsync(ServiceClient client, string instance)
    {
        byte[] random = new byte[16];
        client.Environment.Entropy.Fill(random);
        string mark = Convert.ToHexString(random);
        long asked = client.Environment.Time.GetTimestamp();
        if (await client.AskAsync(service => service.Take(mark, client.Environment.ProcessName, client.Lease)) is not { } token)
        {
            return null;
        }

        var lease = new ServiceLease(client, token, asked);
        lease.Start(instance);
        return lease;
    }

    /// <summary>Throws unless the service has done what was asked under this lease.</summary>
    public void Require(bool done)
    {
        if (!done)
        {
            throw Fenced();
        }
    }

    protected override ValueTask<bool> TryRenewAsync(CancellationToken cancellationToken) => _client.AskAsync(service => service.Renew(Token, _client.Lease), cancellationToken);

    protected override async ValueTask ReleaseAsync() => await _client.AskAsync(service =>
    {
        service.Release(Token);
        return true;
    });

    protected override ValueTask DisposeClientAsync() => default;
}
