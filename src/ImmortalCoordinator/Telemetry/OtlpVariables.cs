using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.ImmortalCoordinator.Telemetry;

/// <summary>
/// What OpenTelemetry's variables ask for. Whether anything is exported is decided here; how, the library reads itself, from the same
/// variables.
/// </summary>
internal sealed record OtlpVariables
{
    private static readonly string[] s_protocols = ["grpc", "http/protobuf"];
    private static readonly string[] s_exporters = ["", "otlp"];
    private static readonly string[] s_schemes = [Uri.UriSchemeHttp, Uri.UriSchemeHttps];
    private static readonly string[] s_signals = ["", "TRACES_", "METRICS_"];

    /// <summary>Whether spans are sent.</summary>
    public bool Traces { get; private init; }

    /// <summary>Whether metrics are sent.</summary>
    public bool Metrics { get; private init; }

    /// <summary>Reads them.</summary>
    /// <param name="environment">Value of an environment variable, or null.</param>
    /// <exception cref="OptionsException">One has a value that cannot be meant.</exception>
    public static OtlpVariables Read(Func<string, string?> environment)
    {
        bool isDisabled = string.Equals(environment("OTEL_SDK_DISABLED"), "true", StringComparison.OrdinalIgnoreCase);
        var asked = new OtlpVariables { Traces = !isDisabled && IsAsked("TRACES"), Metrics = !isDisabled && IsAsked("METRICS") };
        if (asked.Traces || asked.Metrics)
        {
            Check();
        }

        return asked;

        bool IsAsked(string signal) => s_exporters.Contains(environment($"OTEL_{signal}_EXPORTER") ?? "")
            && (IsSet("OTEL_EXPORTER_OTLP_ENDPOINT") || IsSet($"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"));

        bool IsSet(string variable) => environment(variable) is { Length: > 0 };

        void Check()
        {
            OptionError[] wrong =
            [
                .. Wrong("ENDPOINT", IsAddress, "name an address, such as http://localhost:4318"),
                .. Wrong("HEADERS", AreHeaders, "write name=value, several separated by commas", isSecret: true),
                .. Wrong("PROTOCOL", static value => s_protocols.Contains(value), $"it is one of {string.Join(", ", s_protocols)}"),
            ];
            if (wrong.Length > 0)
            {
                throw new OptionsException(wrong);
            }
        }

        IEnumerable<OptionError> Wrong(string what, Func<string, bool> isRight, string advice, bool isSecret = false) =>
            from name in s_signals
            let variable = $"OTEL_EXPORTER_OTLP_{name}{what}"
            where environment(variable) is { Length: > 0 } value && !isRight(value)
            select new OptionError(ProcessErrors.BadOptionValue,
                $"{(isSecret ? "what is set" : $"'{environment(variable)}'")} is no value of {variable}", variable, advice);
    }

    private static bool IsAddress(string value) =>
        Uri.TryCreate(value, UriKind.Absolute, out Uri? address) && s_schemes.Contains(address.Scheme);

    // As the library takes them, which ends the process by what it does not understand. Keys for a collector stand there: they are not
    // shown.
    private static bool AreHeaders(string value)
    {
        string[] pairs = Uri.UnescapeDataString(value).Split(',');
        int last = pairs.Length > 1 && string.IsNullOrWhiteSpace(pairs[^1]) ? pairs.Length - 1 : pairs.Length;
        return string.IsNullOrWhiteSpace(value) || pairs.Take(last).All(static pair => pair.Contains('='));
    }
}
