using System.Globalization;
using Ambrosia.Cli.Commands;

namespace Ambrosia.Cli.Applications;

/// <summary>Makes a file for Compose: each immortal with its coordinator in one container, and its log in a volume of its own.</summary>
internal static class ComposeFile
{
    private const string Home = "/var/lib/ambrosia";
    private const string Volumes = "ambrosia-volumes";
    private const int User = 10001;

    /// <summary>The file.</summary>
    public static string Of(Application application)
    {
        Containers.Require(application);
        Containers.RequireOther(application, Volumes, "the service that makes the volumes ready");
        RequirePorts(application);
        var lines = new List<string>
        {
            "# Each immortal with its coordinator in one container, and its log in a volume of its own.",
            "# They find each other by the names of the services. Made by 'ambrosia manifests compose'.",
            $"name: {application.Name}",
            "services:",
        };
        lines.AddRange(VolumesServiceOf(application));
        foreach (Member member in application.Members)
        {
            lines.AddRange(ServiceOf(member));
        }

        lines.Add("volumes:");
        lines.AddRange(application.Immortals.Select(static member => $"  {member.Name}: {{}}"));
        return Yaml.File(application.Immortals.Any() ? lines : lines.SkipLast(1));
    }

    private static void RequirePorts(Application application)
    {
        var owners = new Dictionary<int, Member>();
        foreach ((Member member, int port) in
            application.Members.SelectMany(static member => member.Ports, static (member, port) => (member, port)))
        {
            if (!owners.TryAdd(port, member))
            {
                throw new CommandException(CommandExit.Usage, string.Create(CultureInfo.InvariantCulture,
                    $"{Containers.PlaceOf(owners[port])} and {Containers.PlaceOf(member)} have port {port}, which this machine has once."));
            }
        }
    }

    // A new volume belongs to root, and no immortal runs as root.
    private static IEnumerable<string> VolumesServiceOf(Application application)
    {
        string[] names = [.. application.Immortals.Select(static member => member.Name)];
        if (names.Length == 0)
        {
            yield break;
        }

        yield return $"  {Volumes}:";
        yield return "    image: \"busybox:1.37\"";
        yield return $"    command: {Yaml.List(["chown", $"{User}:{User}", .. names.Select(static name => $"/volumes/{name}")])}";
        yield return "    network_mode: none";
        yield return $"    volumes: {Yaml.List(names.Select(static name => $"{name}:/volumes/{name}"))}";
    }

    private static IEnumerable<string> ServiceOf(Member member)
    {
        yield return $"  {member.Name}:";
        yield return $"    image: {Yaml.Text(member.Image)}";
        yield return $"    restart: {(member.IsImmortal ? "unless-stopped" : "on-failure")}";
        if (member.Arguments.Count > 0)
        {
            yield return $"    command: {Yaml.List(member.Arguments.Select(Escaped))}";
        }

        SortedDictionary<string, string> variables = VariablesOf(member);
        if (variables.Count > 0)
        {
            yield return "    environment:";
            foreach ((string name, string value) in variables)
            {
                yield return $"      {Yaml.Text(name)}: {Yaml.Text(Escaped(value))}";
            }
        }

        if (member.Ports.Count > 0)
        {
            IEnumerable<string> ports = member.Ports.Select(static port => string.Create(CultureInfo.InvariantCulture, $"{port}:{port}"));
            yield return $"    ports: {Yaml.List(ports)}";
        }

        if (member.IsImmortal)
        {
            yield return $"    user: {Yaml.Text($"{User}:{User}")}";
            yield return $"    volumes: {Yaml.List([$"{member.Name}:{Home}"])}";
            yield return "    depends_on:";
            yield return $"      {Volumes}:";
            yield return "        condition: service_completed_successfully";
        }
    }

    private static SortedDictionary<string, string> VariablesOf(Member member)
    {
        var variables = new SortedDictionary<string, string>(StringComparer.Ordinal);
        if (member.IsImmortal)
        {
            variables["AMBROSIA_INSTANCE_NAME"] = member.Name;
            variables["AMBROSIA_HOME"] = Home;
            variables["AMBROSIA_CATALOG"] = $"dns:{{instance}}:{Containers.PeerPort}";
            variables["AMBROSIA_PEER_ADDRESS"] = $"0.0.0.0:{Containers.PeerPort}";
            variables["AMBROSIA_ALLOW_PLAINTEXT_PEERS"] = "true"; // On a network of their own.
        }

        foreach ((string name, string value) in Containers.VariablesOf(member).Concat(member.Environment))
        {
            variables[name] = value;
        }

        return variables;
    }

    // Compose would put a variable of its own environment there.
    private static string Escaped(string text) => text.Replace("$", "$$", StringComparison.Ordinal);
}
