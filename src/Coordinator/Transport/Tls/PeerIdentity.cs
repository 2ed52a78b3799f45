using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// Which URI in a certificate stands for which instance: a text with <c>{instance}</c> in it, such as
/// <c>spiffe://bank.example/{instance}</c>.
/// </summary>
public sealed class PeerIdentity
{
    /// <summary>What <c>--peer-identity</c> is when nobody says otherwise.</summary>
    public const string Default = "spiffe://{cluster}/{instance}";

    private const string Instance = "{instance}";
    private const string Cluster = "{cluster}";
    private readonly string _before;
    private readonly string _behind;

    private PeerIdentity(string before, string behind) => (_before, _behind) = (before, behind);

    /// <summary>
    /// Reads the text; <c>{cluster}</c> in it becomes the cluster's name. False when it is no absolute URI or does not name the instance
    /// exactly once.
    /// </summary>
    public static bool TryParse(string text, string cluster, [NotNullWhen(true)] out PeerIdentity? identity)
    {
        string[] parts = text.Replace(Cluster, cluster, StringComparison.Ordinal).Split(Instance);
        bool valid = parts.Length == 2 && parts[0].Contains("://", StringComparison.Ordinal)
            && Uri.TryCreate($"{parts[0]}a{parts[1]}", UriKind.Absolute, out _);
        identity = valid ? new PeerIdentity(parts[0], parts[1]) : null;
        return valid;
    }

    /// <summary>The URI of an instance.</summary>
    public string UriOf(string instance) => _before + instance + _behind;

    /// <summary>The instance that a URI stands for, compared byte by byte; null if it stands for none.</summary>
    public string? InstanceOf(string uri)
    {
        bool fits = uri.Length > _before.Length + _behind.Length && uri.StartsWith(_before, StringComparison.Ordinal)
            && uri.EndsWith(_behind, StringComparison.Ordinal);
        string name = fits ? uri[_before.Length..^_behind.Length] : "";
        return InstanceName.IsValid(name) ? name : null;
    }
}
