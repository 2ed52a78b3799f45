using System.Net;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>What became of one request to an admin address.</summary>
public sealed record AdminAnswer(string Method, string Path, HttpStatusCode Code, string Body)
{
    public override string ToString() => $"{Method} {Path}: {(int)Code} {Body}";
}
