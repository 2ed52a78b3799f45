namespace Ambrosia.Runtime;

/// <summary>Saves proxies as the name of their destination; restored ones belong to the connection at hand.</summary>
internal sealed class ProxyHandler(ProxyTable proxies) : ObjectHandler
{
    /// <inheritdoc/>
    public override bool CanHandle(Type type) => type.IsSubclassOf(typeof(ImmortalProxy)) && !type.IsAbstract;

    /// <inheritdoc/>
    public override string Save(object value) => ((ImmortalProxy)value).Destination;

    /// <inheritdoc/>
    public override object Restore(Type type, string saved) => proxies.Get(type, saved);
}
