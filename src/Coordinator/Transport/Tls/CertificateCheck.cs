using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>Decides about a peer's certificate: its issuer, when it is valid, what for, and which instance it names.</summary>
internal sealed class CertificateCheck(PeerIdentity identity, bool ofClient)
{
    private const X509ChainStatusFlags Untrusted =
        X509ChainStatusFlags.UntrustedRoot | X509ChainStatusFlags.PartialChain
        | X509ChainStatusFlags.NotSignatureValid | X509ChainStatusFlags.ExplicitDistrust;

    /// <summary>The instance that it names; null until it was found good.</summary>
    public string? Instance { get; private set; }

    /// <summary>Code and reason of a refusal; null unless it was refused.</summary>
    public (ErrorCode Error, string Reason)? Objection { get; private set; }

    /// <summary>The chain's rules: these authorities and no others, nothing fetched from the network, this moment, this purpose.</summary>
    public static X509ChainPolicy Policy(X509Certificate2Collection authorities, DateTimeOffset now, bool ofClient)
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
            VerificationTime = now.LocalDateTime,
            VerificationTimeIgnored = false,
        };
        policy.CustomTrustStore.AddRange(authorities);
        policy.ApplicationPolicy.Add(new Oid(ofClient ? "1.3.6.1.5.5.7.3.2" : "1.3.6.1.5.5.7.3.1"));
        return policy;
    }

    /// <summary>The instance that the one URI of a certificate stands for; null, and why, if that cannot be said.</summary>
    public static string? NameIn(X509Certificate2 certificate, PeerIdentity identity, out string text)
    {
        IReadOnlyList<string> uris;
        try
        {
            uris = UriNames.Of(certificate);
        }
        catch (AsnContentException error)
        {
            text = $"its alternative names cannot be read: {error.Message}";
            return null;
        }

        string? name = uris is [var only] ? identity.InstanceOf(only) : null;
        text = uris.Count switch
        {
            0 => "it holds no URI",
            1 => $"it holds {uris[0]}",
            _ => $"it holds {uris.Count} URIs ({string.Join(", ", uris)}), and exactly one is allowed",
        };
        return name;
    }

    /// <summary>Judges what the other side showed. The chain was built by <see cref="Policy"/>.</summary>
    public bool IsGood(X509Certificate? shown, X509Chain? chain)
    {
        Objection = shown is X509Certificate2 certificate && chain is not null ? ObjectionTo(certificate, chain)
            : (PeerErrors.CertificateUntrusted, "it showed no certificate");
        return Objection is null;
    }

    private (ErrorCode Error, string Reason)? ObjectionTo(X509Certificate2 certificate, X509Chain chain)
    {
        X509ChainStatusFlags flags = chain.ChainStatus.Aggregate(X509ChainStatusFlags.NoError, static (all, one) => all | one.Status);
        if ((flags & Untrusted) != 0)
        {
            return (PeerErrors.CertificateUntrusted,
                $"its certificate ({certificate.Subject}) does not come from an authority of --peer-trusted-ca-file");
        }

        if ((flags & X509ChainStatusFlags.NotTimeValid) != 0)
        {
            return (PeerErrors.CertificateExpired,
                $"its certificate ({certificate.Subject}), or one that signed it, is not valid now; this one is from "
                + $"{Text(certificate.NotBefore)} to {Text(certificate.NotAfter)}");
        }

        if ((flags & X509ChainStatusFlags.NotValidForUsage) != 0)
        {
            return (PeerErrors.CertificateUsage,
                $"its certificate ({certificate.Subject}) is not meant for "
                + $"{(ofClient ? "who connects (clientAuth)" : "who listens (serverAuth)")}");
        }

        if (flags != X509ChainStatusFlags.NoError)
        {
            return (PeerErrors.CertificateUntrusted, $"its certificate ({certificate.Subject}) cannot be believed: {flags}");
        }

        Instance = NameIn(certificate, identity, out string text);
        return Instance is null ? (PeerErrors.CertificateNamesNone,
            $"its certificate ({certificate.Subject}) does not name one instance as --peer-identity says: {text}") : null;
    }

    private static string Text(DateTime time) =>
        time.ToUniversalTime().ToString("yyyy-MM-dd HH:mm:ss'Z'", System.Globalization.CultureInfo.InvariantCulture);
}
