using Ambrosia.ImmortalCoordinator;
using Ambrosia.ImmortalCoordinator.Hosting;

try
{
    Configuration configuration = Configuration.Read(args, Environment.GetEnvironmentVariable);
    switch (configuration.Action)
    {
        case CommandLineAction.Help:
            Console.Out.Write(HelpText.Render());
            return (int)ExitCode.Stopped;
        case CommandLineAction.Version:
            Console.Out.WriteLine(CoordinatorProcess.Version);
            return (int)ExitCode.Stopped;
        case CommandLineAction.PrintConfig:
            Console.Out.WriteLine(string.Join(Environment.NewLine, configuration.Describe()));
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
