using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// Where the stream to one app is interrupted for a conversion of its state: at the upgrades that its replay crosses, and, before it acts,
/// if it wants another version than it has loaded. While the gate is closed nothing is delivered.
/// </summary>
internal sealed class UpgradeGate(IEnumerable<VersionChange> crossings, ulong features)
{
    private readonly bool _tells = (features & BindingFeatures.Upgrades) != 0;
    private readonly bool _comparesBuilds = (features & BindingFeatures.Builds) != 0;
    private readonly Queue<VersionChange> _crossings = new(crossings);
    private StateVersion? _told;
    private string? _wanted; // Whatever upgrades its replay crosses; null: to act as what the last of them makes it.

    /// <summary>True from a request to convert until its answer has been dealt with.</summary>
    public bool Closed { get; private set; }

    /// <summary>True if the request under way concerns an upgrade that happened long ago: its checkpoint exists, or did.</summary>
    public bool IsCrossing { get; private set; }

    /// <summary>The upgrade under way.</summary>
    public VersionChange? Current { get; private set; }

    /// <summary>True for an app that is to replace the attached one: a goal that it does not name is its own version.</summary>
    public bool IsCandidate { get; init; }

    /// <summary>The build that executed what follows the upgrade that is being crossed, for an app that compares; null otherwise.</summary>
    public string? Executed => _comparesBuilds && IsCrossing ? Current?.Build : null;

    /// <summary>True if the replay goes through an upgrade.</summary>
    public bool HasCrossings => _crossings.Count > 0;

    /// <summary>
    /// True until the replay has got over the last upgrade: a checkpoint that was asked for here could not be told from the converted
    /// state that the app answers with there.
    /// </summary>
    public bool IsBeforeCrossing => HasCrossings || (Closed && IsCrossing);

    /// <summary>What the app said that it holds; null before.</summary>
    public string? Version => _told?.Version;

    /// <summary>The app has said what it holds and wants.</summary>
    public void Told(StateVersion version) =>
        (_told, _wanted) = (version, version.Goal.Length > 0 ? version.Goal : IsCandidate ? version.Version : null);

    /// <summary>The app, which was asked to convert, has said which build it is: it executes what follows a new upgrade.</summary>
    public void Told(string build) => Current = Closed && !IsCrossing ? Current! with { Build = build } : Current;

    /// <summary>True if an upgrade that the log knows lies exactly here; it must be asked for before anything else is delivered.</summary>
    public bool TryCross(Lsn delivered)
    {
        if (!_crossings.TryPeek(out VersionChange? mark) || mark.At > delivered)
        {
            return false;
        }

        Begin(_crossings.Dequeue(), crossing: true);
        return true;
    }

    /// <summary>True if the app may be told to act as it is: it wants nothing else, or nothing is known of versions.</summary>
    public bool MayAct => !_tells || _told is { Goal: "" };

    /// <summary>True if the app wants to be converted first.</summary>
    public bool WantsUpgrade => _tells && _told is { Goal: not "" };

    /// <summary>
    /// The upgrade that the app wants, after a record; to the same version if it only wants another's place. Behind none: what the log is
    /// told before it is tried.
    /// </summary>
    public VersionChange Proposed(Lsn at) => new(at, _told!.Version, _told.Goal.Length > 0 ? _told.Goal : _told.Version);

    /// <summary>The conversion that the app wants, after this record.</summary>
    public void Begin(Lsn delivered) => Begin(Proposed(delivered), crossing: false);

    /// <summary>The conversion is done.</summary>
    public void Open()
    {
        _told = _told is null ? null : new StateVersion(Current!.To, _wanted is null || _wanted == Current.To ? "" : _wanted);
        Closed = false;
        Current = null;
    }

    private void Begin(VersionChange mark, bool crossing) => (Current, IsCrossing, Closed) = (mark, crossing, true);
}
