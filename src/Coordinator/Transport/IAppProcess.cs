namespace Ambrosia.Coordinator.Transport;

/// <summary>The process behind an app's connection: a connection that can know it implements this.</summary>
public interface IAppProcess
{
    /// <summary>How it ended. Called once its connection is lost; waits a moment for the end to be known.</summary>
    ValueTask<AppEnd> EndAsync(TimeProvider time);

    /// <summary>Whether it is stopped and not dead, as SIGSTOP leaves it; false where that cannot be known.</summary>
    bool IsStopped => false;

    /// <summary>Whether <see cref="IsStopped"/> knows.</summary>
    bool IsSeen => false;

    /// <summary>Ends it at once; false if that is not possible.</summary>
    bool Kill();
}
