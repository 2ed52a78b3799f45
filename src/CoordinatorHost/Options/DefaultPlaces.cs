using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Where things lie unless said otherwise: <c>$AMBROSIA_HOME</c>, else <c>$XDG_DATA_HOME/ambrosia</c>, else <c>~/.local/share/ambrosia</c>.
/// </summary>
/// <param name="environment">Value of an environment variable, or null.</param>
/// <param name="profile">The user's home as the system knows it, empty if there is none; null: ask.</param>
public sealed class DefaultPlaces(Func<string, string?> environment, string? profile = null)
{
    /// <summary>The folder that holds everything else.</summary>
    /// <exception cref="OptionsException">The user has no home folder, and no variable names another one. The current folder is none: with
    /// another one the state would begin anew.</exception>
    public string Home => HomeOrNone ?? throw new OptionsException([new(
        ProcessErrors.BadOptionValue, "this user has no home folder to keep logs, the catalog and tokens in", "AMBROSIA_HOME",
        "set it to a folder of this user's, such as /var/lib/ambrosia")]);

    private string? HomeOrNone => Set("AMBROSIA_HOME")
        ?? (Set("XDG_DATA_HOME") is { } data ? Path.Combine(data, "ambrosia")
            : UserHome.Length > 0 ? Path.Combine(UserHome, ".local", "share", "ambrosia") : null);

    private string UserHome => Set("HOME") ?? profile ?? Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);

    /// <summary>Fills in whatever the options leave open, and makes paths absolute.</summary>
    public void Complete(CoordinatorOptions options)
    {
        options.Store = options.NoLog ? "memory:"
            : Absolute(options.Store.Length == 0 ? $"file:{Path.Combine(Home, "instances")}" : options.Store);
        options.Catalog = Absolute(options.Catalog.Length == 0 ? $"file:{Path.Combine(Home, "catalog")}" : options.Catalog);
        options.Scratch = options.Scratch.Length > 0 ? Path.GetFullPath(options.Scratch) : LogStores.IsLocal(options.Store) ? ""
            : Path.Combine(Home, "scratch", options.InstanceName);
        options.DroppedOutputs = options.DroppedOutputs.Length > 0 ? Path.GetFullPath(options.DroppedOutputs)
            : LogStores.IsLocal(options.Store) ? "" : DroppedOutputs(options.Store, options.InstanceName);
        options.CheckpointEvery = options.CheckpointEvery == 0 ? options.SegmentSize : options.CheckpointEvery;
        if (options.BindingAddress is not null && options.BindingTokenFile.Length == 0)
        {
            options.BindingTokenFile = Path.Combine(Home, "tokens", options.InstanceName);
        }

        if (options.OwnerPipe)
        {
            ImplyAdmin(options);
        }

        CompleteAdmin(options);
        if (options.BindingSocket is null && options.BindingAddress is null && options.ReceivePort is null)
        {
            options.BindingSocket = EndPointName.Unix(BindingSocket(options.Store, options.InstanceName, options.ReplicaId));
        }
    }

    /// <summary>
    /// An admin address for a coordinator that nobody gave one: where <c>ambrosia</c> looks for it, and for the user who runs it only.
    /// </summary>
    public void ImplyAdmin(CoordinatorOptions options)
    {
        if (!options.AdminIsGiven)
        {
            options.ImplyAdmin(EndPointName.Unix(AdminSocket(options.Store, options.InstanceName, options.ReplicaId)));
        }
    }

    /// <summary>Fills in what belongs to the admin address: where its token lies, if there is to be one, and who is told of it.</summary>
    public void CompleteAdmin(CoordinatorOptions options)
    {
        options.ServingFolder = options.LogEndsWithProcess ? "" : ServingFolder;
        if (options.Admin is { } admin && options.AdminTokenFile.Length == 0)
        {
            options.AdminTokenFile = AdminToken(admin, options.InstanceName);
        }
    }

    /// <summary>Where the outputs of an instance lie that were dropped: in its folder, if it has one.</summary>
    public string DroppedOutputs(string store, string instance) => LogStores.IsLocal(store)
        ? Path.Combine(LogStores.RootOf(store), instance, "dropped") : Path.Combine(Home, "dropped", instance);

    /// <summary>Where coordinators say how they can be asked, and the command looks for it; empty for nowhere.</summary>
    public string ServingFolder => HomeOrNone is { } home ? Path.Combine(home, "serving") : "";

    /// <summary>The file with the token that an admin address asks for; empty for a Unix socket, whose permissions decide.</summary>
    public string AdminToken(EndPointName admin, string instance) =>
        admin.Scheme == EndPointScheme.Unix ? "" : Path.Combine(Home, "admin-tokens", instance);

    /// <summary>The socket on which the app of an instance attaches.</summary>
    public string BindingSocket(string store, string instance, int? replica = null) =>
        Path.Combine(SocketFolder, HashOf(store, instance, replica) + ".sock");

    /// <summary>
    /// The admin address of a coordinator that an app or <c>ambrosia run</c> starts: the command's other verbs look for it here.
    /// </summary>
    public string AdminSocket(string store, string instance, int? replica = null) =>
        Path.Combine(SocketFolder, HashOf(store, instance, replica) + ".admin");

    private string SocketFolder => Set("XDG_RUNTIME_DIR") is { } runtime
        ? Path.Combine(runtime, "ambrosia")
        : Primitives.Sockets.SocketFolder.OfUser;

    // A hash, because a socket's path may have 107 bytes only and stores may lie deep.
    private static string HashOf(string store, string instance, int? replica) =>
        Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(replica is null ? $"{store}\n{instance}"
            : string.Create(CultureInfo.InvariantCulture, $"{store}\n{instance}\n{replica}"))).AsSpan(0, 10));

    private static string Absolute(string uri) =>
        uri.StartsWith("file:", StringComparison.Ordinal) ? "file:"
        + Path.GetFullPath(uri.StartsWith("file://", StringComparison.Ordinal) ? uri["file://".Length..] : uri["file:".Length..]) : uri;

    private string? Set(string name) => environment(name) is { Length: > 0 } value ? value : null;
}
