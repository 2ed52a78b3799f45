namespace Ambrosia.Runtime;

/// <summary>Writes and reads objects of one type.</summary>
internal abstract class ObjectPlan
{
    public abstract Type Type { get; }

    /// <summary>True if something follows later, after everything that was being written.</summary>
    public virtual bool HasBody => true;

    /// <summary>True if an object that the host made can be filled in place of a new one.</summary>
    public virtual bool FillsExisting => false;

    /// <summary>Category and wires.</summary>
    public abstract void WriteSchema(WriteSession session);

    /// <summary>What stands at the first reference.</summary>
    public virtual void WriteHeader(WriteSession session, object value)
    {
    }

    public virtual void WriteBody(WriteSession session, object value)
    {
    }

    /// <summary>Why objects saved with this schema cannot be read, or null.</summary>
    public abstract string? Match(SavedType saved);

    /// <summary>Reads the header and makes the object.</summary>
    public abstract object Allocate(ReadSession session, SavedType saved);

    public virtual void ReadBody(ReadSession session, SavedType saved, object target)
    {
    }
}
