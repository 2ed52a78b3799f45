namespace Ambrosia.Hosting;

/// <summary>One option of an app: its names, its meaning for people, how its text becomes a value and back.</summary>
internal sealed record AppOption(
    string Name, string Value, string Help, Action<ImmortalOptions, string> Set, Func<ImmortalOptions, string> Get)
{
    /// <summary>All options, in the order of the help text.</summary>
    public static IReadOnlyList<AppOption> All { get; } =
    [
        new("instance-name", "name", "Name of this immortal (default: its class name in lower case).", static (o, v) =>
            o.InstanceName = v, static o => o.InstanceName),
        new("store", "uri", "Where its log lives: file:/path (default: the coordinator's).", static (o, v) => o.Store = v, static o =>
            o.Store),
        new("catalog", "uri", "Where immortals find each other (default: the coordinator's).", static (o, v) => o.Catalog = v, static o =>
            o.Catalog),
        new("binding-socket", "address", "A coordinator that runs already: /path.sock, unix:/path or tcp:host:port (default: start one).",
            static (o, v) => o.BindingSocket = v, static o => o.BindingSocket),
        new("coordinator-user", "user", "User, by name or number, that the coordinator may run as beside this one and root.",
            static (o, v) => o.CoordinatorUser = v, static o => o.CoordinatorUser),
        new("coordinator", "file", "The coordinator to start (default: coordinator/ beside the app).", static (o, v) =>
            o.Coordinator = v, static o => o.Coordinator),
        new("coordinator-arguments", "text", "Further options for the coordinator that is started.", static (o, v) =>
            o.CoordinatorArguments = v, static o => o.CoordinatorArguments),
        new("ingress", "address", "Address for calls from outside over HTTP, like 127.0.0.1:8080 (docs/guide/calls-from-outside.md).",
            static (o, v) => o.Ingress = v, static o => o.Ingress),
        new("on-fault", "continue|stop", "When a fork or an impulse fails (default: continue).", static (o, v) =>
            o.OnFault = Parse<FaultPolicy>(v), static o => Text(o.OnFault)),
        new("on-coordinator-exit", "stop|wait", "When a coordinator is gone that this app did not start (default: stop).",
            static (o, v) => o.OnCoordinatorExit = Parse<CoordinatorExitPolicy>(v), static o => Text(o.OnCoordinatorExit)),
        new("connect-timeout", "seconds", "How long to wait for the coordinator (default: 60).", static (o, v) => o.ConnectTimeout =
            Seconds(v), static o => o.ConnectTimeout.TotalSeconds.ToString("0.###", System.Globalization.CultureInfo.InvariantCulture)),
        new("upgrade", "true|false", "Upgrade the state, in the place of the app that is attached: docs/guide/upgrade.md (default: false).",
            static (o, v) => o.Upgrade = Flag(v), static o => o.Upgrade ? "true" : "false"),
        new("accept", "word|any", "Go on with a build that does not fit the log: the word that the refusal names (docs/guide/builds.md).",
            static (o, v) => o.Accept = v, static o => o.Accept),
        new("check-queries", "true|false", "See whether queries change the state (default: if built for debugging).", static (o, v) =>
            o.CheckQueries = Flag(v), static o => o.CheckQueries is { } checks ? (checks ? "true" : "false") : ""),
        new("effects-at-once", "count", "Effects performed at once (default: 32).", static (o, v) => o.EffectsAtOnce = Count(v),
            static o => o.EffectsAtOnce.ToString(System.Globalization.CultureInfo.InvariantCulture)),
        new("effects-drain", "seconds", "How long a clean stop waits for effects that are being performed (default: 5).",
            static (o, v) => o.EffectsDrain = Seconds(v), static o =>
                o.EffectsDrain.TotalSeconds.ToString("0.###", System.Globalization.CultureInfo.InvariantCulture)),
        new("effects-retry", "IService.Method name=value ...; ...",
            "In place of [Retry]: timeout, first, longest, within as hours:minutes:seconds, attempts (default: nothing).",
            static (o, v) => o.EffectsRetry = v, static o => o.EffectsRetry),
        new("wait-for-debugger", "true|false", "Wait until a debugger is attached (default: false).", static (o, v) =>
            o.WaitForDebugger = Flag(v), static o => o.WaitForDebugger ? "true" : "false"),
        new("token-file", "file", "File with the secret that the coordinator asks for (default: AMBROSIA_TOKEN, or none).", static (o, v) =>
            o.TokenFile = v, static o => o.TokenFile),
        new("token", "secret", "That secret itself; not as an argument.", static (o, v) => o.Token = v, static o =>
            o.Token.Length == 0 ? "" : "(set)") { IsSecret = true },
    ];

    /// <summary>True for what must not stand on a command line, which every user that lists processes sees.</summary>
    public bool IsSecret { get; init; }

    /// <summary>The option as an environment variable. The socket's name is shared with the coordinator.</summary>
    public string Variable => Name == "binding-socket" ? "AMBROSIA_SOCKET" : "AMBROSIA_" + Name.Replace('-', '_').ToUpperInvariant();

    /// <summary>The option in the section <c>Ambrosia</c> of appsettings.json: InstanceName for instance-name.</summary>
    public string Key => string.Concat(Name.Split('-').Select(static word => char.ToUpperInvariant(word[0]) + word[1..]));

    /// <summary>Sets the option from text; <paramref name="origin"/> says where it stands, for the error.</summary>
    /// <exception cref="OptionException">The text is not a valid value.</exception>
    public void Apply(ImmortalOptions options, string text, string origin)
    {
        try
        {
            Set(options, text);
        }
        catch (FormatException)
        {
            throw new OptionException($"'{text}' is not a value for {origin}: {Value} is expected. {Help}");
        }
    }

    // Without separators of thousands: 1,5 is one and a half to many people, and must not be fifteen.
    private const System.Globalization.NumberStyles Plain =
        System.Globalization.NumberStyles.AllowDecimalPoint | System.Globalization.NumberStyles.AllowLeadingSign
        | System.Globalization.NumberStyles.AllowLeadingWhite | System.Globalization.NumberStyles.AllowTrailingWhite;

    private static T Parse<T>(string text)
        where T : struct, Enum =>
        Enum.TryParse(text, ignoreCase: true, out T value) && !char.IsAsciiDigit(text[0]) && Enum.IsDefined(value) ? value
        : throw new FormatException();

    private static string Text<T>(T value)
        where T : struct, Enum => value.ToString().ToLowerInvariant();

    private static bool Flag(string text) => bool.TryParse(text, out bool value) ? value : throw new FormatException();

    private static int Count(string text) =>
        int.TryParse(text, System.Globalization.CultureInfo.InvariantCulture, out int count) && count > 0 ? count
            : throw new FormatException();

    private static TimeSpan Seconds(string text) =>
        double.TryParse(text, Plain, System.Globalization.CultureInfo.InvariantCulture, out double seconds) && seconds is > 0 and <= 86400
            ? TimeSpan.FromSeconds(seconds)
            : throw new FormatException();
}
