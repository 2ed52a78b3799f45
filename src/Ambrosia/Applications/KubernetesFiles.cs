using System.Globalization;
using System.Reflection;
using Ambrosia.Cli.Commands;

namespace Ambrosia.Cli.Applications;

/// <summary>
/// Makes a folder for Kustomize: a pod with app and coordinator for each immortal, made of the same base as deploy/k8s, with its log on a
/// volume of its own, and a Deployment for each other program.
/// </summary>
internal static class KubernetesFiles
{
    private const string Pairs = "  - pairs:";
    private static readonly string[] s_shared =
    [
        "base/kustomization.yaml", "base/service.yaml", "base/statefulset.yaml", "disruptionbudget.yaml", "networkpolicy.yaml",
        "volume.yaml",
    ];

    /// <summary>All files: the path in the folder, and the text.</summary>
    public static SortedDictionary<string, string> Of(Application application, ImageName coordinator)
    {
        Containers.Require(application);
        RequireNames(application);
        if (application.Members.FirstOrDefault(static member => member.Replicas > 1) is { } replicated)
        {
            throw new CommandException(CommandExit.Usage,
                $"{Containers.PlaceOf(replicated)}.replicas: replicas need a store that all their pods reach, and these manifests keep "
                    + "each log on a volume of its own pod. deploy/k8s/overlays/replicas and the chart (--set store.kind=postgres "
                    + "--set replicas=3) have them.");
        }

        var files = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (string shared in s_shared)
        {
            files[shared] = Shared(shared);
        }

        files["namespace.yaml"] = NamespaceOf(application);
        files["kustomization.yaml"] = WholeOf(application, coordinator);
        foreach (Member member in application.Immortals)
        {
            files[$"{member.Name}/kustomization.yaml"] = KustomizationOf(member);
            files[$"{member.Name}/immortal.yaml"] = PatchOf(member);
            if (member.Ports.Count > 0)
            {
                files[$"{member.Name}/front.yaml"] = FrontOf(member);
            }
        }

        foreach (Member member in application.Programs)
        {
            files[$"{member.Name}/kustomization.yaml"] = KustomizationOf(member);
            files[$"{member.Name}/program.yaml"] = DeploymentOf(member);
        }

        return files;
    }

    private static void RequireNames(Application application)
    {
        Containers.RequireOther(application, "base", "the folder of what all immortals share");
        foreach (Member member in application.Immortals)
        {
            Containers.RequireOther(application, $"immortal-{member.Name}", $"the service of {Containers.PlaceOf(member)}");
            Containers.RequireOther(application, $"front-{member.Name}", $"a service of {Containers.PlaceOf(member)}");
        }
    }

    private static string Shared(string name)
    {
        using Stream stream = Assembly.GetExecutingAssembly().GetManifestResourceStream("k8s/" + name)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }

    private static string NamespaceOf(Application application) => Yaml.File(
    [
        "apiVersion: v1",
        "kind: Namespace",
        "metadata:",
        $"  name: {application.Name}",
        "  labels:",
        "    pod-security.kubernetes.io/enforce: restricted",
        "    pod-security.kubernetes.io/warn: restricted",
    ]);

    private static string WholeOf(Application application, ImageName coordinator) => Yaml.File(
    [
        "# Each immortal is a pod: its app, and its coordinator beside it. Logs are in files on a volume of each pod's own.",
        "# Made by 'ambrosia manifests kubernetes'.",
        "apiVersion: kustomize.config.k8s.io/v1beta1",
        "kind: Kustomization",
        $"namespace: {application.Name}",
        "resources:",
        "  - namespace.yaml",
        .. application.Members.Select(static member => $"  - {member.Name}"),
        .. When(application.Immortals.Any(), "  - disruptionbudget.yaml", "  - networkpolicy.yaml"),
        "labels:",
        Pairs,
        $"      app.kubernetes.io/part-of: {application.Name}",
        "    includeSelectors: true",
        "configMapGenerator:",
        "  - name: ambrosia",
        "    literals:",
        $"      - AMBROSIA_CLUSTER={application.Name}",
        "      - AMBROSIA_STORE=file:/var/lib/ambrosia/instances",
        $"      - AMBROSIA_CATALOG=dns:immortal-{{instance}}:{Containers.PeerPort}",
        "      - AMBROSIA_LOG_FORMAT=json",
        .. When(application.Immortals.Any(), "patches:", "  - path: volume.yaml", "    target:", "      kind: StatefulSet"),
        "images:",
        .. ImageLines("ambrosia/coordinator", coordinator),
    ]);

    private static string KustomizationOf(Member member) => Yaml.File(
    [
        "apiVersion: kustomize.config.k8s.io/v1beta1",
        "kind: Kustomization",
        .. When(member.IsImmortal, $"nameSuffix: -{member.Name}"),
        "resources:",
        member.IsImmortal ? "  - ../base" : "  - program.yaml",
        .. When(member.IsImmortal && member.Ports.Count > 0, "  - front.yaml"),
        "labels:",
        Pairs,
        $"      app.kubernetes.io/instance: {member.Name}",
        "    includeSelectors: true",
        "    includeTemplates: true",
        .. When(member.IsImmortal, "patches:", "  - path: immortal.yaml"),
        "images:",
        .. ImageLines("ambrosia/app", ImageName.Parse(member.Image, Containers.PlaceOf(member))),
    ]);

    private static IEnumerable<string> ImageLines(string name, ImageName image) =>
    [
        $"  - name: {name}",
        $"    newName: {Yaml.Text(image.Repository)}",
        image.Tag.Length > 0 ? $"    newTag: {Yaml.Text(image.Tag)}" : $"    digest: {Yaml.Text(image.Digest)}",
    ];

    private static string PatchOf(Member member) => Yaml.File(
    [
        "apiVersion: apps/v1",
        "kind: StatefulSet",
        "metadata:",
        "  name: immortal",
        "spec:",
        "  template:",
        "    spec:",
        .. When(member.Options.Count > 0, "      initContainers:", "        - name: coordinator"),
        .. VariableLines(Containers.VariablesOf(member)),
        "      containers:",
        "        - name: app",
        .. ContainerLines(member),
        "      volumes:",
        "        - name: tls",
        "          secret:",
        $"            secretName: {member.Name}-tls",
        "            defaultMode: 0440",
    ]);

    private static IEnumerable<string> ContainerLines(Member member) =>
    [
        .. When(member.Arguments.Count > 0, $"          args: {Yaml.List(member.Arguments.Select(Escaped))}"),
        .. VariableLines(member.Environment),
        .. When(member.Ports.Count > 0, "          ports:"),
        .. member.Ports.SelectMany(static port => new[]
        {
            $"            - name: {PortName(port)}", $"              containerPort: {Text(port)}",
        }),
    ];

    private static IEnumerable<string> VariableLines(IEnumerable<KeyValuePair<string, string>> variables)
    {
        string[] lines =
        [
            .. variables.SelectMany(static variable => new[]
            {
                $"            - name: {Yaml.Text(variable.Key)}", $"              value: {Yaml.Text(Escaped(variable.Value))}",
            }),
        ];
        return lines.Length == 0 ? [] : ["          env:", .. lines];
    }

    private static string FrontOf(Member member) => Yaml.File(
    [
        "# For requests from outside: put an Ingress or a Gateway before it.",
        .. ServiceLines("front", "immortal", member.Ports),
        "---",
        "apiVersion: networking.k8s.io/v1",
        "kind: NetworkPolicy",
        "metadata:",
        "  name: front",
        "spec:",
        "  podSelector:",
        "    matchLabels:",
        "      app.kubernetes.io/component: immortal",
        "  policyTypes: [\"Ingress\"]",
        "  ingress:",
        "    - ports:",
        .. member.Ports.SelectMany(static port => new[] { $"        - port: {Text(port)}", "          protocol: TCP" }),
    ]);

    private static IEnumerable<string> ServiceLines(string name, string component, IEnumerable<int> ports) =>
    [
        "apiVersion: v1",
        "kind: Service",
        "metadata:",
        $"  name: {name}",
        "spec:",
        "  selector:",
        $"    app.kubernetes.io/component: {component}",
        "  ports:",
        .. ports.SelectMany(static port => new[]
        {
            $"    - name: {PortName(port)}", $"      port: {Text(port)}", $"      targetPort: {PortName(port)}",
        }),
    ];

    private static string DeploymentOf(Member member) => Yaml.File(
    [
        "apiVersion: apps/v1",
        "kind: Deployment",
        "metadata:",
        $"  name: {member.Name}",
        "spec:",
        "  replicas: 1",
        "  selector:",
        "    matchLabels:",
        "      app.kubernetes.io/component: program",
        "  template:",
        "    metadata:",
        "      labels:",
        "        app.kubernetes.io/component: program",
        "    spec:",
        "      automountServiceAccountToken: false",
        "      enableServiceLinks: false",
        "      securityContext:",
        "        runAsNonRoot: true",
        "        runAsUser: 10001",
        "        runAsGroup: 10001",
        "        seccompProfile:",
        "          type: RuntimeDefault",
        "      containers:",
        "        - name: app",
        "          image: ambrosia/app",
        .. ContainerLines(member),
        "          resources:",
        "            requests:",
        "              cpu: 100m",
        "              memory: 128Mi",
        "              ephemeral-storage: 64Mi",
        "            limits:",
        "              memory: 512Mi",
        "              ephemeral-storage: 256Mi",
        "          securityContext:",
        "            allowPrivilegeEscalation: false",
        "            readOnlyRootFilesystem: true",
        "            capabilities:",
        "              drop: [\"ALL\"]",
        "          volumeMounts:",
        "            - name: tmp",
        "              mountPath: /tmp",
        "      volumes:",
        "        - name: tmp",
        "          emptyDir:",
        "            sizeLimit: 64Mi",
        .. When(member.Ports.Count > 0, ["---", .. ServiceLines(member.Name, "program", member.Ports)]),
    ]);

    private static string[] When(bool condition, params string[] lines) => condition ? lines : [];

    // Kubernetes would put a variable of the container there.
    private static string Escaped(string text) => text.Replace("$(", "$$(", StringComparison.Ordinal);

    private static string PortName(int port) => $"port-{Text(port)}";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
