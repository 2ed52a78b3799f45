namespace Ambrosia.Primitives.Loops;

/// <summary>Starts long-running asynchronous loops. The code that starts one awaits it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILoopRunner
{
    /// <summary>Runs the loop; every continuation of it runs where the runner decided. The task ends as the loop ends.</summary>
    Task Start(string name, Func<Task> loop);

    /// <summary>The same for a loop that nobody waits for: where it can, it gives way to all others.</summary>
    Task StartInBackground(string name, Func<Task> loop) => Start(name, loop);
}
