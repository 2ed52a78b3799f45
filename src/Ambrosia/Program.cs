using Ambrosia.Cli;
using Ambrosia.Cli.Output;

var terminal = new Terminal(
    Console.Out, Console.Error, Console.In, !Console.IsOutputRedirected && !Console.IsInputRedirected,
    noColours: Environment.GetEnvironmentVariable("NO_COLOR") is { Length: > 0 });
return await new AmbrosiaCommand(terminal, Environment.GetEnvironmentVariable, TimeProvider.System).RunAsync(args);
