namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>The typed service of an interface (docs/internals/typed-grpc.md).</summary>
/// <param name="Package">Its package.</param>
/// <param name="Name">Its name there.</param>
/// <param name="Methods">Its methods, and those that it cannot have.</param>
internal sealed record ProtoService(string Package, string Name, IReadOnlyList<ProtoMethod> Methods)
{
    /// <summary>Its name with the package.</summary>
    public string FullName => $"{Package}.{Name}";

    /// <summary>The name of its file.</summary>
    public string FileName => $"{Package.Replace('.', '/')}/service.proto";

    /// <summary>The messages that these methods use, in the order of their use.</summary>
    public static IReadOnlyList<ProtoMessage> MessagesOf(IEnumerable<ProtoMethod> methods)
    {
        var found = new List<ProtoMessage>();
        var known = new HashSet<ProtoMessage>();
        foreach (ProtoMethod method in methods)
        {
            Add(method.Request);
            Add(method.Reply);
        }

        for (int next = 0; next < found.Count; next++) // Each may name others.
        {
            foreach (ProtoField field in found[next].Fields)
            {
                Add(field.Content.Message);
            }
        }

        return found;

        void Add(ProtoMessage? message)
        {
            if (message is not null && known.Add(message))
            {
                found.Add(message);
            }
        }
    }
}
