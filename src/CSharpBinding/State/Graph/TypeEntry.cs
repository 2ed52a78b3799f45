namespace Ambrosia.Runtime;

/// <summary>An entry of the type table that is being written.</summary>
internal sealed class TypeEntry(Type type, int id)
{
    public Type Type => type;

    public int Id => id;

    public bool IsDefined { get; set; }

    public bool HasSchema { get; set; }

    /// <summary>How objects of the type are written; null while it was only named.</summary>
    public ObjectPlan? Plan { get; set; }
}
