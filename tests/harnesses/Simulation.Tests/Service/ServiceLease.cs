using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;

namespace Ambrosia.Simulation.Tests;

/// <summary>A lease of a simulated service, of the log or of a lock beside it: the real rules of renewal and loss, under virtual
/// time.</summary>
internal sealed class ServiceLease : RenewedLease
{
    private readonly ServiceClient _client;

    private ServiceLease(ServiceClient client, string name, long token, long provenAt)
        : base(client.Environment, name.Length == 0 ? "service"
            : $"service {name}", client.Environment.ProcessName, client.Lease, provenAt) => (_client, Name, Token) = (client, name, token);

    /// <summary>The lock; empty for the right to append.</summary>
    public string Name { get; }

    public long Token { get; }

    /// <summary>Its holder lives, has not given it back, and takes it for its own.</summary>
    public bool IsCountedOn => !IsGivenBack && CanBeProved && !_client.HasEnded;

    private bool CanBeProved
    {
        get
        {
            try
            {
                ValueTask proof = VerifyAsync();
                return proof.IsCompletedSuccessfully;
            }
            catch (LeaseLostException)
            {
                return false;
            }
        }
    }

    /// <summary>Its holder works under it, though it was lost.</summary>
    public bool IsMissed => !IsGivenBack && !CanBeProved && !_client.HasEnded;

    /// <summary>Takes it if nobody has it, or its holder is known to be dead; else null and the time that it runs at most.</summary>
    public static async ValueTask<(ServiceLease? Lease, TimeSpan Left)> TryAcquireAsync(ServiceClient client, string name, string instance)
    {
        (bool isHeld, string holder, TimeSpan left, long token) = await client.AskAsync(service => service.Look(name));
        bool isDead = isHeld && client.IsKnownDead(holder);
        if (isHeld && !isDead)
        {
            return (null, left);
        }

        byte[] random = new byte[16];
        client.Environment.Entropy.Fill(random);
        string mark = Convert.ToHexString(random);
        long asked = client.Environment.Time.GetTimestamp();
        if (await client.AskAsync(service => service.Take(name, token, isDead, mark, client.Environment.ProcessName, client.Lease)) is not
            { } taken)
        {
            return (null, TimeSpan.Zero);
        }

        var lease = new ServiceLease(client, name, taken, asked);
        client.Granted(lease);
        lease.Start(instance);
        return (lease, TimeSpan.Zero);
    }

    /// <summary>Throws unless the service has done what was asked under this lease.</summary>
    public void Require(bool done)
    {
        if (!done)
        {
            throw Fenced();
        }
    }

    /// <summary>Asks whether it is still ours, before what no condition of the service guards.</summary>
    public async ValueTask ProveAsync() => Require(await _client.AskAsync(service => service.Renew(Name, Token, _client.Lease)));

    protected override ValueTask<bool> TryRenewAsync(bool isRepeated, CancellationToken cancellationToken) =>
        _client.AskOnceAsync(service => service.Renew(Name, Token, _client.Lease), cancellationToken);

    protected override ValueTask ReleaseAsync() => _client.TellAsync(service => service.Release(Name, Token));

    protected override ValueTask DisposeClientAsync() => default;
}
