namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A folder for one test.</summary>
public sealed class Scratch : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("ambrosia-time-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
