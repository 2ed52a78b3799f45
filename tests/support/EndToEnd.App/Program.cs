using Ambrosia;
using EndToEnd;

// The process that tests start: one node. It ends when the process that started it is gone: its standard input is a pipe from there.
Gate.Path = Environment.GetEnvironmentVariable("E2E_GATE") ?? "";
new Thread(static () =>
{
    while (Console.In.Read() >= 0)
    {
    }

    Environment.Exit(0);
})
{ IsBackground = true }.Start();
if (Environment.GetEnvironmentVariable("E2E_HOST_OF_TWO") is { Length: > 0 } node)
{
    return await HostOfTwo.RunAsync(node);
}

return Environment.GetEnvironmentVariable("E2E_IN_PROCESS") is { Length: > 0 } arguments
    ? await InProcessNode.RunAsync(args[1], arguments)
    : await NodeV2.RunAsync(Environment.GetEnvironmentVariable("E2E_VERSION") ?? "1", args);
