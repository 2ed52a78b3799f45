namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>One of a node's two processes.</summary>
internal enum Side
{
    Coordinator,
    App,
}
