namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>A message. It may hold itself, so its fields are said after it was made.</summary>
internal sealed class ProtoMessage(string name, ProtoForm form)
{
    private Dictionary<int, int> _byNumber = [];

    public string Name { get; } = name;

    public ProtoForm Form { get; } = form;

    public IReadOnlyList<ProtoField> Fields { get; private set; } = [];

    /// <summary>Says what it consists of.</summary>
    public void Complete(IReadOnlyList<ProtoField> fields)
    {
        Fields = fields;
        _byNumber = Enumerable.Range(0, fields.Count).ToDictionary(at => fields[at].Number);
    }

    /// <summary>Which field has this number; -1 for none.</summary>
    public int IndexOf(int number) => _byNumber.GetValueOrDefault(number, -1);
}
