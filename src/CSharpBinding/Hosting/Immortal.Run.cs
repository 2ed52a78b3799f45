using Ambrosia.Hosting;

namespace Ambrosia;

// How an immortal is started belongs to this floor, and the class itself to one below it, which must not know how it is hosted.
public abstract partial class Immortal
{
    /// <summary>
    /// Makes the process an immortal of type <typeparamref name="T"/>: finds its coordinator, or starts one beside itself, and serves
    /// until Ctrl+C, SIGTERM or the end of the coordinator. Prints a few calm lines; <c>--help</c> shows the options.
    /// </summary>
    /// <param name="args">The command line. Options that are not known here are left to the app.</param>
    /// <param name="configure">Sets defaults in code; command line and environment override them.</param>
    /// <returns>The exit code of the process (<see cref="AppExitCode"/>); it is set as <see cref="Environment.ExitCode"/>, too.</returns>
    public static async Task<int> RunAsync<T>(string[] args, Action<ImmortalOptions>? configure = null)
        where T : Immortal, new()
    {
        ArgumentNullException.ThrowIfNull(args);
        var options = new ImmortalOptions { InstanceName = DefaultName(typeof(T)) };
        configure?.Invoke(options);
        var runner = new ImmortalRunner(Console.Out, Console.Error, new ConsoleLogger(Console.Error, TimeProvider.System));
        AppExitCode code = await runner.RunAsync(static () => new T(), options, args);
        Environment.ExitCode = (int)code;
        return (int)code;
    }

    /// <summary>The instance name that a class has unless another is given.</summary>
    internal static string DefaultName(Type type)
    {
        string name = type.Name.Split('`')[0].ToLowerInvariant();
        return name.Length <= Primitives.InstanceName.MaxLength ? name : name[..Primitives.InstanceName.MaxLength];
    }
}
