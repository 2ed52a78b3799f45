namespace Ambrosia.Runtime;

/// <summary>Saves proxies as the name of their destination; restored ones belong to the connection at hand.</summary>
internal sealed class ProxyHandler(ProxyTable proxies) : ObjectHandler
{
    /// <inheritdoc/>
    public override bool CanHandle(Type type) => type.IsSubclassOf(typeof(ImmortalProxy)) && !type.IsAbstract;

    /// <inheritdoc/>
    public override string Save(object value) => value is ImmortalProxy { IsRecording: false } proxy ? proxy.Destination
        : throw new CannotSaveException("A field or a local", $"{value.GetType().Name} that writes a call down for later",
            "make the call in the expression that asks for it, as in This.Every(...).NameFork(...)");

    /// <inheritdoc/>
    public override object Restore(Type type, string saved) => proxies.Get(type, saved);
}
