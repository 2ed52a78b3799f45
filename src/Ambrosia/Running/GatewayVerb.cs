using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Cli.Running;

/// <summary><c>ambrosia gateway</c></summary>
internal sealed class GatewayVerb(Places places, Terminal terminal, TimeProvider time) : IVerb
{
    private readonly Option<string> _listen = Text("--listen", "ADDRESS",
        "IP address and port, as in 127.0.0.1:8090 or 0.0.0.0:8090. Port 0: any free one.", "127.0.0.1:8090");
    private readonly Option<string> _tokens = Text("--tokens", "FILE",
        "Who may call: a file as that of the coordinator's --ingress-tokens. Default: none, for a loopback address alone.");
    private readonly Option<string> _jwtIssuer = Text("--jwt-issuer", "ISSUER",
        "Who may call, beside --tokens: those who show a JSON Web Token of this issuer, as its claim iss says it.");
    private readonly Option<string> _jwtAudience = Text("--jwt-audience", "AUDIENCE",
        "What such a token must be issued for: one of its claim aud.");
    private readonly Option<string> _jwtKeys = Text("--jwt-keys", "FILE|URL",
        "The issuer's keys, a JSON Web Key Set: a file, read again when it changes, or an https address.");
    private readonly Option<string> _jwtMethodsClaim = Text("--jwt-methods-claim", "NAME",
        "Claim of such a token with the methods that its caller may call. Default: none, so that each may call all that are offered.");
    private readonly Option<string> _origins = Text("--origins", "ORIGINS",
        "Web pages of which origins may call, as https://shop.example,http://localhost:5173; * for all, with tokens only.", "none");
    private readonly Option<string> _tokenFile = Text("--token-file", "FILE",
        "The gateway's own token, which instances trust; made if missing. Needed with --tokens and --jwt-issuer.");
    private readonly Option<string> _certFile =
        Text("--cert-file", "FILE", "PEM file with the certificate that callers see, and its chain.");
    private readonly Option<string> _keyFile = Text("--key-file", "FILE", "PEM file with its private key.");
    private readonly Option<string> _instanceCaFile = Text("--instance-ca-file", "FILE",
        "PEM file with the authorities of instances' certificates. Default: those of the system.");
    private readonly Option<string> _instanceUrl = Text("--instance-url", "URL",
        "Address of instances of which the catalog says none, as in http://immortal-{instance}:8080. Needed with a dns: catalog.");
    private readonly Option<string> _health = Text("--health", "ADDRESS", "Serve /healthz, /readyz and /metrics there, too.");
    private readonly Option<bool> _awakeables = new("--awakeables")
        { Description = "Let awakeables be completed here, by anybody who has their address." };
    private readonly Option<string> _maxBody = Text("--max-body", "SIZE", "Bytes of the largest body.", "1MiB");
    private readonly Option<int> _maxRequests = new("--max-requests")
        { Description = "Requests at once.", HelpName = "COUNT", DefaultValueFactory = static _ => 2048 };
    private readonly Option<int> _maxRequestsOfOne = new("--max-requests-per-caller")
        { Description = "Requests of one caller at once.", HelpName = "COUNT", DefaultValueFactory = static _ => 1024 };
    private readonly Option<double> _rate = new("--rate")
        { Description = "Requests of one caller in a second; 0: no limit.", HelpName = "COUNT", DefaultValueFactory = static _ => 0 };
    private readonly Option<string> _stopTime = Text("--stop-time", "TIME", "How long a stop waits for what is being answered.", "20s");

    public Command Build()
    {
        var command = new Command(
            "gateway", "One entry for calls from outside to all instances of a catalog. Ctrl+C or SIGTERM ends it.\n\n"
            + "Example: ambrosia gateway --listen 127.0.0.1:8090\n"
            + "Example: ambrosia gateway --catalog postgres://db/bank --listen 0.0.0.0:8443 --tokens callers --token-file gateway.token "
            + "--cert-file gw.crt --key-file gw.key")
        {
            _listen, _tokens, _jwtIssuer, _jwtAudience, _jwtKeys, _jwtMethodsClaim, _origins, _tokenFile, _certFile, _keyFile,
            _instanceCaFile, _instanceUrl, _health, _awakeables, _maxBody, _maxRequests, _maxRequestsOfOne, _rate, _stopTime,
        };
        command.SetAction(RunAsync);
        return command;
    }

    /// <inheritdoc/>
    public bool Uses(Option common) => places.IsCatalog(common);

    private static Option<string> Text(string name, string help, string description, string? otherwise = null)
    {
        var option = new Option<string>(name) { Description = description, HelpName = help };
        if (otherwise is not null)
        {
            option.DefaultValueFactory = _ => otherwise;
        }

        return option;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        GatewayOptions options = Read(parsed);
        await using ICatalog catalog = places.OpenCatalog(parsed);
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var hurried = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var signals = new StopSignals(() => _ = asked.TrySetResult() || hurried.TrySetResult());
        using var log = new LineLoggerProvider(Console.OpenStandardError(), new TextLineFormat(), LogLevel.Information, time);
        try
        {
            await using GatewayServer gateway = await GatewayServer.StartAsync(
                options, catalog, Random.Shared.NextDouble, time, log, cancellationToken);
            string scheme = options.CertFile.Length > 0 ? "https" : "http";
            terminal.Line($"The gateway listens at {scheme}://{gateway.EndPoint.Authority} for the instances of {places.Catalog(parsed)}, "
                + $"from {(options.HasTokens ? "callers with a token" : "anybody on this machine")}.");
            if (gateway.TrustLine.Length > 0)
            {
                terminal.Line($"Instances trust it that have this line in their --ingress-tokens: {gateway.TrustLine}");
            }

            if (gateway.HealthEndPoint is { } health)
            {
                terminal.Line($"Health and metrics are at http://{health.Authority}.");
            }

            await asked.Task;
            terminal.Line("The gateway stops: it takes nothing more, and waits for what is being answered. Once more: it waits no longer.");
            Task<int> stopping = gateway.StopAsync(options.StopTime);
            await Task.WhenAny(stopping, hurried.Task);
            int ended = stopping.IsCompleted ? await stopping : await gateway.StopAsync(TimeSpan.Zero);
            terminal.Line(ended == 0 ? "All calls were answered." : string.Create(CultureInfo.InvariantCulture,
                $"{ended} calls were not answered in time: their callers were told so."));
            return (int)CommandExit.Done;
        }
        catch (CoordinatorException refused)
        {
            throw new CommandException(
                refused.Error == ProcessErrors.CannotListen ? CommandExit.Unavailable : CommandExit.Usage, refused.Message);
        }
    }

    private GatewayOptions Read(ParseResult parsed)
    {
        int all = parsed.GetValue(_maxRequests);
        int ofOne = parsed.GetValue(_maxRequestsOfOne);
        double rate = parsed.GetValue(_rate);
        if (all is < 1 or > 1_000_000 || ofOne is < 1 or > 1_000_000 || rate is not (>= 0 and <= 1e9))
        {
            throw new CommandException(
                CommandExit.Usage, "--max-requests and --max-requests-per-caller take 1 to 1000000, --rate takes 0 to 1000000000.");
        }

        return new GatewayOptions
        {
            Listen = Address("--listen", parsed.GetValue(_listen)!),
            Tokens = parsed.GetValue(_tokens) ?? "",
            Jwt = new JwtOptions
            {
                Issuer = parsed.GetValue(_jwtIssuer) ?? "",
                Audience = parsed.GetValue(_jwtAudience) ?? "",
                Keys = parsed.GetValue(_jwtKeys) ?? "",
                MethodsClaim = parsed.GetValue(_jwtMethodsClaim) ?? "",
            },
            Origins = IngressOrigins.TryParse(parsed.GetValue(_origins)!) ?? throw new CommandException(
                CommandExit.Usage, "--origins takes origins without a path, such as https://shop.example,http://localhost:5173; or none."),
            OwnTokenFile = parsed.GetValue(_tokenFile) ?? "",
            CertFile = parsed.GetValue(_certFile) ?? "",
            KeyFile = parsed.GetValue(_keyFile) ?? "",
            InstanceCaFile = parsed.GetValue(_instanceCaFile) ?? "",
            InstanceUrl = parsed.GetValue(_instanceUrl)?.TrimEnd('/') ?? "",
            Health = parsed.GetValue(_health) is { Length: > 0 } health ? Address("--health", health) : null,
            ServesAwakeables = parsed.GetValue(_awakeables),
            MaxBody = ByteSize.TryParse(parsed.GetValue(_maxBody)!, out long size) && size is > 0 and <= 1 << 30 ? (int)size
                : throw new CommandException(CommandExit.Usage, "--max-body takes a size up to 1GiB, such as 256KiB."),
            MaxRequests = all,
            MaxRequestsOfOne = ofOne,
            Rate = rate,
            StopTime = Duration.TryParse(parsed.GetValue(_stopTime)!, out TimeSpan stop) && stop >= TimeSpan.Zero ? stop
                : throw new CommandException(CommandExit.Usage, "--stop-time takes a time such as 500ms or 20s."),
        };
    }

    private static EndPointName Address(string option, string text) =>
        EndPointName.TryParse(text, out EndPointName? address, out string? reason) ? address
            : throw new CommandException(CommandExit.Usage, $"{option} {text}: {reason}");
}
