using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using MessagePack;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Client;

/// <summary>Where immortals are called, as whom, and how long.</summary>
public sealed class AmbrosiaClientOptions
{
    private static readonly TimeSpan s_mostDeadline = TimeSpan.FromDays(49); // What a timer of .NET takes.

    /// <summary>
    /// Addresses (<c>--ingress</c>) of an immortal that <see cref="Instances"/> does not name; <c>{instance}</c> stands for its name, as in
    /// <c>http://{instance}:8080</c>. Of several replicas each address is tried until one serves.
    /// </summary>
    public IList<string> Addresses { get; } = [];

    /// <summary>The addresses of single immortals, by their names.</summary>
    public IDictionary<string, IList<string>> Instances { get; } = new Dictionary<string, IList<string>>(StringComparer.Ordinal);

    /// <summary>The token that is shown (<c>--ingress-tokens</c>). Default: none.</summary>
    public string? Token { get; set; }

    /// <summary>
    /// Asked for the token before each try, from any thread and several times at once; keep there what need not be fetched again. What it
    /// throws ends the call. In place of <see cref="Token"/>.
    /// </summary>
    public Func<CancellationToken, ValueTask<string>>? GetToken { get; set; }

    /// <summary>
    /// File that holds the token, read again at most once a second; what it held last is shown while it cannot be used. In place of
    /// <see cref="Token"/>.
    /// </summary>
    public string? TokenFile { get; set; }

    /// <summary>
    /// PEM file with the authorities that the coordinators' certificates come from, for addresses with <c>https</c>. Default: those that
    /// this system trusts.
    /// </summary>
    public string? TrustedCaFile { get; set; }

    /// <summary>How long a call is tried, if its own cancellation token does not end it before. Default: without end.</summary>
    public TimeSpan Deadline { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>Calls to one immortal at once; others wait in this process. Default: 512.</summary>
    public int MaxConcurrentCalls { get; set; } = 512;

    /// <summary>What MessagePack-CSharp is asked for after an interface's own resolver. Default: its standard alone.</summary>
    public IFormatterResolver? Resolver { get; set; }

    /// <summary>
    /// Receives a line when nobody is reached any more, and one when somebody answers again. Default: none; with
    /// <c>AddAmbrosiaClient</c> the application's.
    /// </summary>
    public ILogger? Logger { get; set; }

    /// <summary>Copies them, and checks each.</summary>
    /// <exception cref="ArgumentException">One cannot be.</exception>
    internal AmbrosiaClientOptions Checked()
    {
        if ((Deadline <= TimeSpan.Zero && Deadline != Timeout.InfiniteTimeSpan) || Deadline > s_mostDeadline)
        {
            throw new ArgumentException(
                $"Deadline is {Deadline}; it is a time of up to {s_mostDeadline.Days} days, or Timeout.InfiniteTimeSpan.");
        }

        if ((Token is null ? 0 : 1) + (GetToken is null ? 0 : 1) + (TokenFile is null ? 0 : 1) > 1)
        {
            throw new ArgumentException("Of Token, GetToken and TokenFile only one may be set.");
        }

        if (MaxConcurrentCalls is < 1 or > 1024)
        {
            throw new ArgumentException(
                $"MaxConcurrentCalls is {MaxConcurrentCalls}; a coordinator answers up to 1,024 requests of one caller.");
        }

        var copy = new AmbrosiaClientOptions
        {
            Token = Token, GetToken = GetToken, TokenFile = TokenFile, TrustedCaFile = TrustedCaFile, Deadline = Deadline,
            MaxConcurrentCalls = MaxConcurrentCalls, Resolver = Resolver, Logger = Logger,
        };
        foreach (string address in Addresses)
        {
            AddressOf(address, "x");
            copy.Addresses.Add(address);
        }

        foreach ((string name, IList<string> addresses) in Instances)
        {
            copy.Instances[name] = [.. addresses];
            foreach (string address in addresses)
            {
                AddressOf(address, name);
            }
        }

        return copy;
    }

    /// <summary>The addresses of an immortal.</summary>
    /// <exception cref="ArgumentException">It has none.</exception>
    internal IReadOnlyList<Uri> AddressesOf(string instance)
    {
        Uri[] found = [.. (Instances.TryGetValue(instance, out IList<string>? own) ? own : Addresses)
            .Select(address => AddressOf(address, instance))];
        return found.Length > 0 ? found : throw new ArgumentException(
            $"There is no address for {instance}: add one to Addresses, or to Instances under this name.", nameof(instance));
    }

    /// <summary>The authorities of <see cref="TrustedCaFile"/>; null if the system's own count.</summary>
    /// <exception cref="ArgumentException">The file cannot be used.</exception>
    internal X509Certificate2Collection? TrustedAuthorities()
    {
        if (TrustedCaFile is null)
        {
            return null;
        }

        try
        {
            var authorities = new X509Certificate2Collection();
            authorities.ImportFromPemFile(TrustedCaFile);
            return authorities.Count > 0 ? authorities
                : throw new ArgumentException($"TrustedCaFile {TrustedCaFile} holds no certificate.");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw new ArgumentException($"TrustedCaFile {TrustedCaFile} cannot be used: {error.Message}", error);
        }
    }

    private static Uri AddressOf(string text, string instance) =>
        Uri.TryCreate(text?.Replace("{instance}", instance, StringComparison.Ordinal), UriKind.Absolute, out Uri? address)
            && address.Scheme is "http" or "https"
            ? address.AbsolutePath == "/" && address.Query.Length == 0 ? address
                : throw new ArgumentException($"'{text}' has a path. gRPC knows none: name the host and the port alone.")
            : throw new ArgumentException($"'{text}' is no address; write one such as http://127.0.0.1:8080.");
}
