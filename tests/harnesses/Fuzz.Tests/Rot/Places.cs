using Ambrosia.Primitives.Loops;

namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>Folders of one test, removed at its end; its asynchronous work runs on one thread.</summary>
internal sealed class Places : IDisposable
{
    // Syncs are not what is tested here, and thousands of them cost minutes on a disk: a file system in memory will do where there is one.
    private readonly string _root = Directory.CreateDirectory(Path.Combine(Directory.Exists("/dev/shm") ? "/dev/shm"
        : Path.GetTempPath(), $"ambrosia-rot-{Environment.ProcessId}-{Interlocked.Increment(ref s_count)}")).FullName;
    private static int s_count;
    private int _next;

    /// <summary>A new path below the test's folder.</summary>
    public string New() => Path.Combine(_root, $"{++_next}");

    /// <summary>Removes one of them, so that thousands do not pile up.</summary>
    public static void Remove(string path) => Directory.Delete(path, recursive: true);

    public void Dispose() => Directory.Delete(_root, recursive: true);

    public static Task OnOneThreadAsync(Func<Task> work) => new Primitives.Loops.ThreadLoopRunner().Start("rot", work);
}
