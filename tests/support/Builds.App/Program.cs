using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using Ambrosia;
using Ambrosia.Builds.App;
using Ambrosia.InProcess;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging;

// Runs the immortal of an assembly on a store. Lines on its input: a method and its arguments as JSON, behind tabs, which is called as an
// impulse and answered by "done".
AssemblyLoadContext.Default.Resolving += (context, name) =>
    Path.Combine(Path.GetDirectoryName(args[0])!, name.Name + ".dll") is var beside && File.Exists(beside)
    ? context.LoadFromAssemblyPath(beside) : null;
Assembly build = AssemblyLoadContext.Default.LoadFromAssemblyPath(args[0]);
Type immortal = build.GetTypes()
    .Where(static type => type is { IsAbstract: false, Name: "Shop" or "Store" } && typeof(Immortal).IsAssignableFrom(type))
    .MaxBy(static type => type.Name, StringComparer.Ordinal)!; // The next version is called Store.
MethodInfo? configure = build.GetTypes().FirstOrDefault(static type => type.Name == "Settings")?.GetMethod("Configure");
using var stop = new CancellationTokenSource();
Door.Opened += proxy => new Thread(() => Serve(proxy)) { IsBackground = true }.Start();
if (args.ElementAtOrDefault(3) == "beside")
{
    // As a deployed app runs: its coordinator is a process of its own, options come from the environment, too.
    string[] line =
    [
        "--instance-name", "shop", "--store", $"file:{args[1]}/store", "--catalog", $"file:{args[1]}/catalog",
        "--coordinator", Path.Combine(AppContext.BaseDirectory, "Ambrosia.ImmortalCoordinator"),
    ];
    return await (Task<int>)typeof(Immortal).GetMethod(nameof(Immortal.RunAsync))!.MakeGenericMethod(immortal)
        .Invoke(null, [line, new Action<ImmortalOptions>(settings => configure?.Invoke(null, [settings]))])!;
}

using ILoggerFactory loggers = LoggerFactory.Create(static logging => logging.AddProvider(new OutputLogger()));
var launcher = new InProcessCoordinator(
    new InProcessOptions
    {
        Store = $"file:{args[1]}/store", Catalog = $"file:{args[1]}/catalog", Peers = PeerLinks.Memory,
        Configure = static options => options.CheckpointEvery = 64 << 20,
    },
    loggers, environment: static _ => null);
var options = new ImmortalOptions { InstanceName = "shop", Accept = args.ElementAtOrDefault(2) ?? "" };
configure?.Invoke(null, [options]);
var host = new ImmortalHost(() => (Immortal)Activator.CreateInstance(immortal)!, options, loggers.CreateLogger("app"));
try
{
    await launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
    return 0;
}
catch (Exception error) when (error is BuildRefusedException or CannotResumeException or CheckpointException)
{
    await Console.Out.WriteLineAsync(error.Message);
    return (int)(error is not CheckpointException ? AppExitCode.BuildRefused : AppExitCode.Failed);
}

void Serve(object proxy)
{
    Console.WriteLine("primary");
    while (Console.ReadLine() is { } line)
    {
        string[] words = line.Split('\t');
        if (words[0] == "stop")
        {
            stop.Cancel();
            return;
        }

        MethodInfo method = proxy.GetType().GetMethod(words[0].TrimEnd('&') + "Impulse")!;
        object?[] values = [.. method.GetParameters().Select((parameter, i) => Read(words[i + 1], parameter.ParameterType))];
        var called = (Task)method.Invoke(proxy, values)!;
        if (!words[0].EndsWith('&')) // Else it is not waited for.
        {
            called.Wait();
        }

        Console.WriteLine("done");
    }
}

// "Card:{...}" for a value of a derived class.
object? Read(string text, Type type)
{
    string[] parts = text.Split(':', 2);
    Type? derived = type.IsAbstract ? build.GetTypes().Single(candidate => candidate.Name == parts[0]) : null;
    return JsonSerializer.Deserialize(derived is null ? text : parts[1], derived ?? type);
}
