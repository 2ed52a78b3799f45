using System.CommandLine;
using Ambrosia.Cli.Verbs;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Commands;

/// <summary>Where instances are looked for: options, else environment, else the same defaults as a coordinator's.</summary>
internal sealed class Places
{
    private readonly Option<string> _store = new("--store")
        { Description = "Log and checkpoints, as the coordinator's option.", HelpName = "URI", Recursive = true };
    private readonly Option<string> _catalog = new("--catalog")
        { Description = "Catalog, as the coordinator's option.", HelpName = "URI", Recursive = true };
    private readonly Option<string> _cluster = new("--cluster")
        { Description = "Cluster, as the coordinator's option.", HelpName = "NAME", Recursive = true };
    private readonly Option<string> _admin = new("--admin")
        { Description = "Admin address of the coordinator.", HelpName = "ADDRESS", Recursive = true };
    private readonly Option<string> _adminTokenFile = new("--admin-token-file")
    {
        Description = "Token for the admin address, as the coordinator's option.", HelpName = "FILE", Recursive = true,
    };

    // Stands for a number in the names of the sockets of an instance without one that was moved here from another terminal, whose sockets
    // are served as long as it hands over.
    private const int Elsewhere = -1;

    private readonly Func<string, string?> _environment;
    private readonly DefaultPlaces _defaults;

    public Places(Func<string, string?> environment) =>
        (_environment, _defaults, Environment) =
            (environment, new DefaultPlaces(environment), new LogStoreEnvironment { Stores = KnownStores.All(environment) });

    /// <summary>What the log store is given.</summary>
    public LogStoreEnvironment Environment { get; }

    public IEnumerable<Option> Options => [_store, _catalog, _cluster, _admin, _adminTokenFile];

    /// <summary>Whether an option is the one that says where the catalog is.</summary>
    public bool IsCatalog(Option option) => option == _catalog;

    public string Store(ParseResult parsed) =>
        Pick(parsed.GetValue(_store), "AMBROSIA_STORE", $"file:{Path.Combine(_defaults.Home, "instances")}");

    public string Catalog(ParseResult parsed) =>
        Pick(parsed.GetValue(_catalog), "AMBROSIA_CATALOG", $"file:{Path.Combine(_defaults.Home, "catalog")}");

    /// <summary>How a log of this cluster is opened for reading.</summary>
    public LogStoreOptions Log(ParseResult parsed) => new() { Cluster = Cluster(parsed), AllowNetworkFileSystem = true };

    public string Cluster(ParseResult parsed) =>
        parsed.GetValue(_cluster) ?? _environment("AMBROSIA_CLUSTER") ?? new CoordinatorOptions().Cluster;

    public ICatalog OpenCatalog(ParseResult parsed) => Catalogs.Open(Catalog(parsed), Environment);

    /// <summary>The folder of an instance; the command works on files only.</summary>
    public string Folder(ParseResult parsed, string instance) => Path.Combine(LogStores.RootOf(Store(parsed)), instance);

    /// <summary>Where the coordinator of an instance keeps the outputs that it has dropped, unless told otherwise.</summary>
    public string DroppedOutputs(ParseResult parsed, string instance, string? given) =>
        Path.GetFullPath(Pick(given, "AMBROSIA_DROPPED_OUTPUTS") ?? _defaults.DroppedOutputs(Store(parsed), instance));

    /// <summary>
    /// Where the coordinator of an instance can be asked: as given, else where <c>ambrosia run</c> or <c>move</c> puts it, else where it
    /// says itself. Of several replicas the primary.
    /// </summary>
    public async Task<EndPointName> AdminAsync(ParseResult parsed, string instance) => (await FindAsync(parsed, instance)).Address;

    /// <summary>Asks the coordinator of an instance, with the token that its address may demand.</summary>
    public async Task<AdminClient> ConnectAsync(ParseResult parsed, string instance)
    {
        (EndPointName address, string? token) = await FindAsync(parsed, instance);
        return Connect(parsed, instance, address, token);
    }

    /// <summary>Names of instances of this store whose coordinators say that they serve on this machine.</summary>
    public IEnumerable<string> Serving(ParseResult parsed) =>
        Entries(parsed).Select(static entry => entry.Instance).Distinct(StringComparer.Ordinal);

    /// <summary>
    /// Asks the coordinator of an instance, or of one replica. An instance that does not exist is not found, rather than silent.
    /// </summary>
    /// <exception cref="CommandException">Nobody answers, there is no such instance, or the answer is a refusal.</exception>
    public async Task<T> AskAsync<T>(ParseResult parsed, string instance, int? replica, Func<AdminClient, Task<T>> ask)
    {
        using AdminClient admin = replica is { } number ? ConnectToOwn(parsed, instance, number) : await ConnectAsync(parsed, instance);
        try
        {
            return await ask(admin);
        }
        catch (CommandException silent) when (silent.Code == CommandExit.Unavailable && !IsAdminGiven(parsed))
        {
            await using ICatalog catalog = OpenCatalog(parsed);
            InstanceFacts facts = await InstanceFacts.ReadAsync(instance, Store(parsed), Log(parsed), catalog, Environment);
            throw facts.IsUnknown ? NotFound(parsed, instance) : silent;
        }
    }

    /// <summary>What is said of an instance that neither store nor catalog knows.</summary>
    public CommandException NotFound(ParseResult parsed, string instance) =>
        new(CommandExit.NotFound, $"There is no instance '{instance}' in {Store(parsed)} or {Catalog(parsed)}.");

    /// <summary>Whether a folder is there. One that this user may not look at is no answer.</summary>
    /// <exception cref="LogStore.Files.FileFailedException">It cannot be known.</exception>
    public async ValueTask<bool> IsThereAsync(string folder) => await Environment.Files.StatAsync(folder) is not null;

    /// <summary>Asks one replica, or the only coordinator there is.</summary>
    public AdminClient ConnectToOwn(ParseResult parsed, string instance, int? replica)
    {
        EndPointName usual = OwnAdmin(parsed, instance, replica);
        ServingEntry? said = IsUsualServed(parsed, usual)
            ? null
            : Entries(parsed).FirstOrDefault(entry => entry.Instance == instance && entry.Replica == replica);
        return Connect(parsed, instance, said?.Admin ?? usual, said?.TokenFile);
    }

    /// <summary>
    /// What names the sockets of an instance that is to go on here: its number, if it has one; else nothing, or what stands for one where
    /// those without are served.
    /// </summary>
    public int? SocketsToMoveTo(ParseResult parsed, string instance, int? replica) =>
        replica is null && UnixSocketGuard.IsServed(BindingSocket(parsed, instance, null)) ? Elsewhere : replica;

    /// <summary>The admin address of one replica, or of the only coordinator there is.</summary>
    public EndPointName OwnAdmin(ParseResult parsed, string instance, int? replica)
    {
        string? text = parsed.GetValue(_admin) ?? _environment("AMBROSIA_ADMIN");
        if (string.IsNullOrEmpty(text))
        {
            return EndPointName.Unix(_defaults.AdminSocket(Store(parsed), instance, replica));
        }

        return EndPointName.TryParse(text, out EndPointName? address, out string? reason)
            ? address
            : throw new CommandException(CommandExit.Usage, $"--admin {text}: {reason}");
    }

    /// <summary>Whether somebody said where the coordinator can be asked.</summary>
    public bool IsAdminGiven(ParseResult parsed) =>
        !string.IsNullOrEmpty(parsed.GetValue(_admin)) || !string.IsNullOrEmpty(_environment("AMBROSIA_ADMIN"));

    /// <summary>The socket that coordinator and app of an instance meet at.</summary>
    public string BindingSocket(ParseResult parsed, string instance, int? replica) =>
        _defaults.BindingSocket(Store(parsed), instance, replica);

    private async Task<(EndPointName Address, string? TokenFile)> FindAsync(ParseResult parsed, string instance)
    {
        int? acting = IsAdminGiven(parsed) ? null
            : await Replicas.ActingAsync(Store(parsed), instance, Log(parsed), Environment, () => OpenCatalog(parsed));
        bool moved = acting is null && !UnixSocketGuard.IsServed(_defaults.AdminSocket(Store(parsed), instance))
            && UnixSocketGuard.IsServed(_defaults.AdminSocket(Store(parsed), instance, Elsewhere));
        EndPointName usual = OwnAdmin(parsed, instance, moved ? Elsewhere : acting);
        ServingEntry? said = IsUsualServed(parsed, usual) ? null : await SaidAsync(parsed, instance, acting);
        return (said?.Admin ?? usual, said?.TokenFile);
    }

    // Of several that say they serve it, such as one that waits for the other's end, the one that holds the log.
    private async Task<ServingEntry?> SaidAsync(ParseResult parsed, string instance, int? acting)
    {
        ServingEntry[] said = [.. Entries(parsed).Where(entry => entry.Instance == instance)];
        if (said.Length == 0)
        {
            return null;
        }

        await using ILogStorage storage = LogStores.Open(Store(parsed), instance, Log(parsed), Environment);
        string? holder = await storage.ReadHolderAsync();
        return said.FirstOrDefault(entry => entry.Process == holder) ?? said.FirstOrDefault(entry => entry.Replica == acting);
    }

    private IEnumerable<ServingEntry> Entries(ParseResult parsed)
    {
        string store = Store(parsed);
        return new ServingFolder(_defaults.ServingFolder).Read().Where(entry => entry.Store == store);
    }

    // One that was named is asked and no other.
    private bool IsUsualServed(ParseResult parsed, EndPointName usual) => IsAdminGiven(parsed) || UnixSocketGuard.IsServed(usual.Host);

    private AdminClient Connect(ParseResult parsed, string instance, EndPointName admin, string? tokenFile) =>
        new(admin, Pick(parsed.GetValue(_adminTokenFile), "AMBROSIA_ADMIN_TOKEN_FILE") ?? tokenFile
            ?? _defaults.AdminToken(admin, instance));

    private string? Pick(string? given, string variable) =>
        (string.IsNullOrEmpty(given) ? _environment(variable) : given) is { Length: > 0 } text ? text : null;

    private string Pick(string? given, string variable, string otherwise)
    {
        string? text = string.IsNullOrEmpty(given) ? _environment(variable) : given;
        text = string.IsNullOrEmpty(text) ? otherwise : text;
        bool bare = text.StartsWith('/') || text.StartsWith('.');
        return bare || text.StartsWith("file:", StringComparison.Ordinal) ? "file:" + LogStores.RootOf(bare ? "file:" + text : text) : text;
    }
}
