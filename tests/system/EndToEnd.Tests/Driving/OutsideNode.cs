namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>An immortal with an address for calls from outside, whose coordinator and app a test starts and kills one by one.</summary>
/// <param name="name">Its name.</param>
internal sealed class OutsideNode(string name)
{
    /// <summary>Where calls from outside come in.</summary>
    public int Port { get; } = FreePorts.One();

    /// <summary>Starts its coordinator, with more options if there are any.</summary>
    public Child StartCoordinator(Sandbox sandbox, params string[] more) => Child.Start(
        sandbox, name + ".coordinator", Executables.Coordinator,
        ["--instance-name", name, "--binding-socket", SocketIn(sandbox), "--ingress", $"127.0.0.1:{Port}", .. more]);

    /// <summary>Starts its app, which waits while there is no coordinator.</summary>
    public Child StartApp(Sandbox sandbox, params (string Name, string Value)[] environment) => Child.Start(
        sandbox, name + ".app", Executables.App,
        ["--instance-name", name, "--binding-socket", SocketIn(sandbox), "--on-coordinator-exit", "wait"],
        [("E2E_GATE", Path.Combine(sandbox.Folder, name + ".gate")), .. environment]);

    private string SocketIn(Sandbox sandbox) => Path.Combine(sandbox.Folder, name + ".sock");
}
