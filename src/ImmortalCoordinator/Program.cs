using System.Reflection;
using System.Runtime.InteropServices;
using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.ImmortalCoordinator;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

// Whatever waits for a socket here goes on in a loop's own thread, so the runtime's detour over its thread pool would be a second change
// of threads for nothing. Read once, when the first socket is made. Measured: a round trip takes a quarter less time and half the
// processor time.
const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";
if (Environment.GetEnvironmentVariable(InlineCompletions) is null)
{
    Environment.SetEnvironmentVariable(InlineCompletions, "1");
}

// Calls of the C library are found by way of the program itself, as the log store finds its own, so that a library loaded in front of it
// sees every call: tests make them fail like that.
foreach (Assembly caller in new[] { typeof(CoordinatorProcess).Assembly, typeof(ImmortalCore).Assembly,
    typeof(HostedCoordinator).Assembly, typeof(Lsn).Assembly })
{
    NativeLibrary.SetDllImportResolver(caller, static (name, _, _) => name == "libc" ? NativeLibrary.GetMainProgramHandle() : 0);
}

try
{
    Configuration configuration = Configuration.Read(
        args, Environment.GetEnvironmentVariable, Environment.GetEnvironmentVariables().Keys.Cast<string>());
    switch (configuration.Action)
    {
        case CommandLineAction.Help:
            Console.Out.Write(HelpText.Render());
            return (int)ExitCode.Stopped;
        case CommandLineAction.Version:
            Console.Out.WriteLine(CoordinatorVersion.Text);
            return (int)ExitCode.Stopped;
        case CommandLineAction.PrintConfig:
            Console.Out.WriteLine(string.Join(Environment.NewLine, configuration.Describe()));
            return (int)ExitCode.Stopped;
        case CommandLineAction.PrintAdminToken:
            Console.Out.WriteLine(AdminToken.Print(configuration.Options, new SystemEntropy()));
            return (int)ExitCode.Stopped;
        default:
            return (int)await CoordinatorProcess.RunAsync(configuration.Options);
    }
}
catch (OptionsException mistakes)
{
    Console.Error.WriteLine(mistakes.Message);
    return (int)ExitCode.Configuration;
}
catch (CoordinatorException refused)
{
    Console.Error.WriteLine(refused.Message);
    return (int)refused.ExitCode;
}
