using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>
/// Decides which connection of a sender counts (exactly-once.md H9, H16). A decision is made and carried out without an await in
/// between, so no two can overlap. What a decision needs is awaited before it, and then everything is looked at again.
/// </summary>
internal sealed class PeerAdmission(PeerSettings settings, ICatalog catalog)
{
    /// <summary>The link that counts from now on, or why there is none. The sender's previous link is closed.</summary>
    public async ValueTask<(PeerInputLink? Link, PeerGoodbye? Objection)> AdmitAsync(InputState input, IConnection connection,
        PeerHello hello)
    {
        Guid replaceable = hello.FromId;
        while (true)
        {
            Guid known = input.SenderId;
            if (known == Guid.Empty || known == hello.FromId)
            {
                return Objection(input, hello) is { } objection ? (null, objection) : (Begin(input, connection, hello), null);
            }

            if (replaceable != known)
            {
                if (await ObjectionOfCatalogAsync(hello) is { } unknown)
                {
                    return (null, unknown);
                }

                // The catalog was asked while this identity was known: its answer says nothing about one that came meanwhile.
                replaceable = known;
            }
            else if (input.Current is { Open: true } || !input.IsDrained)
            {
                input.Current?.Close();
                await input.WaitUntilDrainedAsync();
            }
            else
            {
                input.Replace(hello.FromId);
            }
        }
    }

    private static PeerGoodbye? Objection(InputState input, PeerHello hello)
    {
        if (hello.Epoch < input.HighestEpoch)
        {
            return new PeerGoodbye(LeadershipErrors.EpochTooOld, retry: false,
                $"epoch {hello.Epoch} of {hello.From} is fenced: epoch {input.HighestEpoch} was seen");
        }

        IInputLink? current = input.Current;
        return current is not null && current.Open && (hello.Epoch, hello.Generation).CompareTo((current.Epoch, current.Generation)) < 0
            ? new PeerGoodbye(PeerErrors.ConnectionReplaced, retry: true, $"a newer connection of {hello.From} is open")
            : null;
    }

    private PeerInputLink Begin(InputState input, IConnection connection, PeerHello hello)
    {
        input.Current?.Close();
        var link = new PeerInputLink(input, connection, hello, settings);
        input.Current = link;
        input.HelloSeen(hello.FromId, hello.Epoch);
        return link;
    }

    private async ValueTask<PeerGoodbye?> ObjectionOfCatalogAsync(PeerHello hello)
    {
        CatalogEntry? entry;
        try
        {
            entry = (await catalog.GetAsync(hello.From))?.Entry;
        }
        catch (IOException error)
        {
            return new PeerGoodbye(PeerErrors.UnknownIdentity, retry: true,
                $"{hello.From} shows a new identity and the catalog cannot be read: {error.Message}");
        }

        return entry is null || InstanceIds.Parse(entry.InstanceId) != hello.FromId
            ? new PeerGoodbye(PeerErrors.UnknownIdentity, retry: true,
                $"{hello.From} has identity {hello.FromId:N}, the catalog does not; a copied or erased instance?")
            : null;
    }
}
