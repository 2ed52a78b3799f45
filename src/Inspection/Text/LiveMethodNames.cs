using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Inspection.Text;

/// <summary>
/// Names of methods for a process that goes on while apps come and tell theirs: read again when a contract was added. A folder shows that
/// by its time; a service is asked again now and then, when somebody looks.
/// </summary>
public sealed class LiveMethodNames(string? logFolder, TimeProvider time)
{
    private static readonly TimeSpan s_askAgain = TimeSpan.FromSeconds(10);
    private readonly object _gate = new();
    private DateTime _as;
    private MethodNames? _names;
    private IReadOnlyList<string> _told = [];
    private long? _asked;

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
                    _names = MethodNames.OfCoordinator(logFolder, _told);
                }

                return _names;
            }
        }
    }

    /// <summary>Looks whether there are more contracts in a store that is a service. One that does not answer tells nothing new.</summary>
    public async ValueTask AskAsync(Func<ValueTask<IReadOnlyList<string>>> read)
    {
        lock (_gate)
        {
            if (logFolder is not null || (_asked is { } last && time.GetElapsedTime(last) < s_askAgain))
            {
                return;
            }

            _asked = time.GetTimestamp();
        }

        try
        {
            IReadOnlyList<string> told = await read();
            lock (_gate)
            {
                if (!told.SequenceEqual(_told))
                {
                    (_told, _names) = (told, null);
                }
            }
        }
        catch (LogStoreException)
        {
            // The log itself cannot be read then, either, and that is said.
        }
    }
}
