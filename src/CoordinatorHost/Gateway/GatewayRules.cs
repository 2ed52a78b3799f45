using System.Net;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What a gateway's options must be to each other.</summary>
internal static class GatewayRules
{
    /// <summary>Looks at them.</summary>
    /// <exception cref="CoordinatorException">They contradict each other.</exception>
    public static void Check(GatewayOptions options, ICatalog catalog)
    {
        if (options.Listen.Scheme != EndPointScheme.Tcp || !IPAddress.TryParse(options.Listen.Host, out _))
        {
            throw Contradict("an IP address and a port are needed", $"--listen {options.Listen}", "write it as in 127.0.0.1:8090");
        }

        if (!options.Listen.IsLocal && !options.HasTokens)
        {
            throw new CoordinatorException(
                ProcessErrors.AddressOutOfPlace, "other machines reach this address, and anybody there could call",
                $"--listen {options.Listen}", "nothing was started",
                "give --tokens or --jwt-issuer, so that only those who have a token may call; or use 127.0.0.1");
        }

        if (options.Origins.IsAll && !options.HasTokens)
        {
            throw Contradict(
                "without tokens, web pages of all origins could call", "--origins",
                "list the origins of your own pages, as https://shop.example, or give --tokens or --jwt-issuer");
        }

        if (JwtRules.Mistake(options.Jwt, "--jwt") is { } mistake)
        {
            throw Contradict(mistake.Reason, mistake.Option, mistake.Advice);
        }

        if (options.HasTokens && options.OwnTokenFile.Length == 0)
        {
            // Instances would take all callers for one, with one set of keys: one caller would be given another's answers.
            throw Contradict(
                "callers have names here, and instances would not know them", "--tokens, --jwt-issuer",
                "give --token-file, too: the token by which instances let this gateway speak for its callers");
        }

        if ((options.CertFile.Length > 0) != (options.KeyFile.Length > 0))
        {
            throw Contradict("a certificate and its key go together", "--cert-file, --key-file", "give both files, or none");
        }

        if (options.InstanceUrl.Length > 0 && !CatalogRoutes.IsRule(options.InstanceUrl))
        {
            throw Contradict(
                $"'{options.InstanceUrl}' is no address with a name in it", "--instance-url",
                "write it as in http://immortal-{instance}:8080");
        }

        if (catalog is DnsCatalog && options.InstanceUrl.Length == 0)
        {
            throw Contradict(
                "a catalog by a rule for names of hosts says nothing of calls from outside", "--catalog",
                "give --instance-url, as in http://immortal-{instance}:8080");
        }
    }

    private static CoordinatorException Contradict(string what, string where, string advice) =>
        new(ProcessErrors.OptionsContradict, what, where, "nothing was started", advice);
}
