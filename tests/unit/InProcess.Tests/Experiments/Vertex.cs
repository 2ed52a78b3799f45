namespace Ambrosia.InProcess.Tests.Experiments;

public sealed class Vertex : VertexBase
{
    private readonly List<(string To, int Length)> _edges = [];

    public int Distance { get; private set; } = int.MaxValue;

    public int Reached { get; private set; }

    public override DurableTask Link(string to, int length)
    {
        _edges.Add((to, length));
        return default;
    }

    public override DurableTask Reach(int distance)
    {
        Reached++;
        if (distance < Distance)
        {
            Distance = distance;
            foreach ((string to, int length) in _edges)
            {
                Proxy<VertexProxy>(to).ReachFork(distance + length);
            }
        }

        return default;
    }
}
