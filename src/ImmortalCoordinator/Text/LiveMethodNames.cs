namespace Ambrosia.ImmortalCoordinator.Text;

/// <summary>Names of methods for a process that goes on while apps come and tell theirs: read again when a contract was added.</summary>
internal sealed class LiveMethodNames(string? logFolder)
{
    private readonly object _gate = new();
    private DateTime _as;
    private MethodNames? _names;

    /// <summary>Names as they are known now.</summary>
    public MethodNames Value
    {
        get
        {
            lock (_gate)
            {
                DateTime now = MethodNames.ChangeOfContracts(logFolder);
                if (_names is null || now != _as)
                {
                    _as = now;
                    _names = MethodNames.OfCoordinator(logFolder);
                }

                return _names;
            }
        }
    }
}
