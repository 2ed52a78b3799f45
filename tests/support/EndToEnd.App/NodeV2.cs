using Ambrosia;

namespace EndToEnd;

/// <summary>The next version of the node: it remembers how often it was made of another one.</summary>
public sealed class NodeV2 : Node
{
    private readonly int _conversions;

    public NodeV2()
    {
    }

    public NodeV2(Node other)
        : base(other) => _conversions = 1;

    protected override int Version => 1 + _conversions;

    /// <summary>What this process is told to be: 1 the first version, 2 the second, 1-from-2 the way back, both one that knows both ways,
    /// 1-fails and 2-fails one whose conversion does not work.</summary>
    public static Task<int> RunAsync(string version, string[] args) => version switch
    {
        "2" => RunAsync<NodeV2>(args, static options => Till.Register(options).UpgradeFrom((Node old) => new NodeV2(old))),
        "1-from-2" => RunAsync<Node>(args, static options => Till.Register(options).UpgradeFrom((NodeV2 old) => new Node(old))),
        "both" => RunAsync<NodeV2>(args, static options =>
            Till.Register(options).UpgradeFrom((Node old) => new NodeV2(old)).UpgradeFrom((NodeV2 old) => new Node(old))),
        "1-fails" => RunAsync<Node>(args, static options =>
            Till.Register(options).UpgradeFrom<NodeV2, Node>(static _ => throw new InvalidOperationException("planted"))),
        "2-fails" => RunAsync<NodeV2>(args, static options =>
            Till.Register(options).UpgradeFrom<Node, NodeV2>(static _ => throw new InvalidOperationException("planted"))),
        "bystander" => RunAsync<Bystander>(args),
        _ => RunAsync<Node>(args, static options => Till.Register(options)),
    };
}
