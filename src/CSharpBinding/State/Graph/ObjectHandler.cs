using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>Saves objects that belong to the host, such as proxies, by a text and makes them anew on restore.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ObjectHandler
{
    /// <summary>
    /// True for the (exact) types of objects that this handler saves. The types themselves must be the application's or the binding's.
    /// </summary>
    public abstract bool CanHandle(Type type);

    /// <summary>What identifies the object.</summary>
    public abstract string Save(object value);

    /// <summary>Makes the object again; its type must be <paramref name="type"/>.</summary>
    public abstract object Restore(Type type, string saved);
}
