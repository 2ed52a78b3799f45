namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A folder of its own for one test, with a path short enough for sockets.</summary>
public sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("amb").FullName;

    public string this[string name] => System.IO.Path.Combine(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
