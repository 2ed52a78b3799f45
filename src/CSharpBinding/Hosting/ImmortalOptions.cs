using System.Diagnostics.CodeAnalysis;
using Ambrosia.Hosting;
using Ambrosia.Runtime;
using Ambrosia.Upgrading;
using MessagePack;

namespace Ambrosia;

/// <summary>
/// How an immortal finds its coordinator. Each value comes from the command line, else from the environment, else from the section
/// <c>Ambrosia</c> of appsettings.json, else it is the default. A value set in code is a default, too: a deployment can override it.
/// </summary>
public sealed class ImmortalOptions
{
    private double _traceRatio = Primitives.Telemetry.TraceRatio.Read(Environment.GetEnvironmentVariable);

    /// <summary>Name of the instance. Default: the class name in lower case. (<c>--instance-name</c>, AMBROSIA_INSTANCE_NAME)</summary>
    public string InstanceName { get; set; } = "";

    /// <summary>
    /// Address of a coordinator that runs already, as in a sidecar: <c>/path/to.sock</c>, <c>unix:/path</c> or <c>tcp:host:port</c>.
    /// Default "": a coordinator of its own is started beside the app. (<c>--binding-socket</c>, AMBROSIA_SOCKET)
    /// </summary>
    public string BindingSocket { get; set; } = "";

    /// <summary>
    /// User whose process may listen at <see cref="BindingSocket"/> beside this one and root, as a name or a number; "" for nobody. What
    /// another user listens with gets no token and is not believed. (<c>--coordinator-user</c>, AMBROSIA_COORDINATOR_USER)
    /// </summary>
    public string CoordinatorUser { get; set; } = "";

    /// <summary>
    /// Executable of the coordinator to start. Default: the one copied to <c>coordinator/</c> beside the app. (<c>--coordinator</c>,
    /// AMBROSIA_COORDINATOR)
    /// </summary>
    public string Coordinator { get; set; } = "";

    /// <summary>
    /// Where the log lives, as the coordinator's option; "" leaves it to the coordinator. (<c>--store</c>, AMBROSIA_STORE)
    /// </summary>
    public string Store { get; set; } = "";

    /// <summary>
    /// Where instances find each other, as the coordinator's option; "" leaves it to the coordinator. (<c>--catalog</c>, AMBROSIA_CATALOG)
    /// </summary>
    public string Catalog { get; set; } = "";

    /// <summary>
    /// Further options for the coordinator that is started, separated by spaces. (<c>--coordinator-arguments</c>,
    /// AMBROSIA_COORDINATOR_ARGUMENTS)
    /// </summary>
    public string CoordinatorArguments { get; set; } = "";

    /// <summary>
    /// Address at which the coordinator that is started takes calls from outside, over HTTP and JSON: <c>127.0.0.1:8080</c>. Default "":
    /// none (docs/guide/calls-from-outside.md). (<c>--ingress</c>, AMBROSIA_INGRESS)
    /// </summary>
    public string Ingress { get; set; } = "";

    /// <summary>
    /// Secret that the coordinator asks for, if it asks for one. Not on the command line, which everybody sees. (AMBROSIA_TOKEN)
    /// </summary>
    public string Token { get; set; } = "";

    /// <summary>
    /// File with that secret, instead of <see cref="Token"/>; read at each attachment. (<c>--token-file</c>, AMBROSIA_TOKEN_FILE)
    /// </summary>
    public string TokenFile { get; set; } = "";

    /// <summary>
    /// What happens when the handler of a fork or an impulse throws. Default: continue. (<c>--on-fault</c>, AMBROSIA_ON_FAULT)
    /// </summary>
    public FaultPolicy OnFault { get; set; }

    /// <summary>
    /// What happens when a coordinator is gone that the app did not start itself. Default: stop. (<c>--on-coordinator-exit</c>,
    /// AMBROSIA_ON_COORDINATOR_EXIT)
    /// </summary>
    public CoordinatorExitPolicy OnCoordinatorExit { get; set; }

    /// <summary>
    /// How long to wait until the coordinator accepts the app. Default 60 s. (<c>--connect-timeout</c> in seconds,
    /// AMBROSIA_CONNECT_TIMEOUT)
    /// </summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Waits until a debugger is attached before anything else. Default: false. (<c>--wait-for-debugger</c>, AMBROSIA_WAIT_FOR_DEBUGGER)
    /// </summary>
    public bool WaitForDebugger { get; set; }

    /// <summary>
    /// Upgrades: converts the state if it is of another class, and takes the place of the app that is attached to the coordinator, if one
    /// is. If that fails, the other goes on. Default: false, with which a state of another class is served by that class's code.
    /// (<c>--upgrade</c>, AMBROSIA_UPGRADE)
    /// </summary>
    public bool Upgrade { get; set; }

    /// <summary>
    /// Whether the state is compared before and behind each query (<see cref="QueryAttribute"/>), and the app ends if it changed. Costs a
    /// walk over the whole state. Default: null, which is yes for an immortal that was built for debugging. (<c>--check-queries</c>,
    /// AMBROSIA_CHECK_QUERIES)
    /// </summary>
    public bool? CheckQueries { get; set; }

    /// <summary>
    /// Differences between this build and the one that the log is of, with which the app goes on: the word that the refusal names, several
    /// separated by commas, or <c>any</c> in builds for debugging. Default: none (docs/guide/builds.md). (<c>--accept</c>, AMBROSIA_ACCEPT)
    /// </summary>
    public string Accept { get; set; } = "";

    /// <summary>
    /// How many effects are performed at once (docs/guide/effects.md). Default 32. (<c>--effects-at-once</c>, AMBROSIA_EFFECTS_AT_ONCE)
    /// </summary>
    public int EffectsAtOnce { get; set; } = 32;

    /// <summary>
    /// How long a clean stop waits for effects that are being performed. Default 5 s. (<c>--effects-drain</c> in seconds,
    /// AMBROSIA_EFFECTS_DRAIN)
    /// </summary>
    public TimeSpan EffectsDrain { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// In place of what [Retry] says: <c>IPayments.Charge timeout=00:00:10 attempts=5; IMail within=1.00:00:00</c>. What names a method
    /// counts before what names its interface. Default: nothing. (<c>--effects-retry</c>, AMBROSIA_EFFECTS_RETRY)
    /// </summary>
    /// <exception cref="FormatException">It is written otherwise, or a value is none.</exception>
    public string EffectsRetry
    {
        get => Retries.Text;
        set => Retries = RetryOverrides.Parse(value);
    }

    /// <summary>
    /// Where schedules find time zones by their ids. Default: the system's. What it gives is asked by the process that acts only, and the
    /// occurrences that it leads to are logged (docs/guide/schedules.md).
    /// </summary>
    public Func<string, TimeZoneInfo> TimeZones { get; set; } = TimeZoneInfo.FindSystemTimeZoneById;

    /// <summary>
    /// Share of calls that is traced where somebody listens to the source <c>Ambrosia</c>: 0 to 1 (telemetry.md). An impulse that is
    /// sent within a span of this process is sampled with that span. Default: what OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say,
    /// else 1.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is no share.</exception>
    public double TraceRatio
    {
        get => _traceRatio;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1);
            _traceRatio = value;
        }
    }

    /// <summary>
    /// The resolver of MessagePack-CSharp that is asked, before the library's standard one, for the formatters of types that its attributes
    /// mark or <see cref="ResolverAttribute"/> names (csharp.md). It is part of the code: what it writes stays in logs, so a change
    /// of its bytes is a change of the app's messages. Its limits are the binding's, whatever it says. Default null: the standard one
    /// alone.
    /// </summary>
    public IFormatterResolver? Resolver { get; set; }

    internal RetryOverrides Retries { get; private set; } = RetryOverrides.None;

    internal List<Conversion> Conversions { get; } = [];

    internal Dictionary<Type, Func<IServiceProvider, object>> Performers { get; } = [];

    /// <summary>
    /// Says what performs the effects of an interface (effects.md). Without it, the host's service of that type does, in a scope for
    /// each attempt.
    /// </summary>
    /// <param name="create">
    /// Makes the object, once for the app, which disposes of it at its end; several threads call the object at once.
    /// </param>
    public ImmortalOptions UseEffects<TInterface>(Func<IServiceProvider, TInterface> create)
        where TInterface : class
    {
        ArgumentNullException.ThrowIfNull(create);
        Performers[typeof(TInterface)] = services => create(services);
        return this;
    }

    /// <summary>
    /// Says how the state of another class becomes that of <typeparamref name="TNew"/>: an older version's, or, to go back, a newer one's.
    /// May be called several times; steps are chained. The conversion is plain code on objects: it sends nothing, and what it makes
    /// depends on the old state only.
    /// </summary>
    /// <param name="convert">Makes the new state. It may reuse parts of the old one, which is not used afterwards.</param>
    public ImmortalOptions UpgradeFrom<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TOld, TNew>(
        Func<TOld, TNew> convert)
        where TOld : Immortal
        where TNew : Immortal
    {
        ArgumentNullException.ThrowIfNull(convert);
        return UpgradeFrom((TOld old, IServiceProvider _) => convert(old));
    }

    /// <summary>
    /// As the other one, for a new class whose constructor takes services: the conversion is given those of the host, or of
    /// <c>ImmortalTestOptions.Services</c>. What it makes of the state must not depend on them.
    /// </summary>
    /// <param name="convert">Makes the new state. It may reuse parts of the old one, which is not used afterwards.</param>
    public ImmortalOptions UpgradeFrom<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TOld, TNew>(
        Func<TOld, IServiceProvider, TNew> convert)
        where TOld : Immortal
        where TNew : Immortal
    {
        ArgumentNullException.ThrowIfNull(convert);
        Conversions.Add(new Conversion(
            typeof(TOld), typeof(TNew), static services => ImmortalFactory.Make<TOld>(services),
            (old, services) => convert((TOld)old, services)));
        return this;
    }
}
