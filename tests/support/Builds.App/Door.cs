namespace Ambrosia.Builds.App;

/// <summary>What an immortal that was built apart says to the process that runs it.</summary>
public static class Door
{
    /// <summary>Called with its proxy when it acts.</summary>
    public static event Action<object>? Opened;

    /// <summary>The immortal acts, and can be called by this proxy.</summary>
    public static void Open(object proxy) => Opened?.Invoke(proxy);

    /// <summary>The immortal tells its state.</summary>
    public static void Say(string text) => Console.WriteLine($"state: {text}");
}
