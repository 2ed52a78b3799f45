namespace Ambrosia.InProcess.Tests.Experiments;

/// <summary>A vertex of a graph that learns its distance from another one; nobody sees the whole graph.</summary>
[ImmortalInterface]
public interface IVertex
{
    /// <summary>There is an edge from here.</summary>
    void Link(string to, int length);

    /// <summary>Somebody found a path of this length to here.</summary>
    void Reach(int distance);
}
