using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// What an app says of its build. One of another build than the checkpoint's has its own checkpoint before it acts: what lies after a
/// checkpoint was then executed by the build that saved it, and by no other. Replicas learn of it by the log (docs/internals/upgrades.md).
/// </summary>
internal sealed class BuildChange(AppServices services, CheckpointExchange checkpoints, Func<bool> hasEnded)
{
    private BuildCompared? _told;
    private Lsn _from;
    private bool _isOther;
    private bool _asked;
    private bool _hasRoom;
    private bool _hasCrossed;

    /// <summary>True once the app has compared its build with the one of the checkpoint.</summary>
    public bool IsTold => _told is not null;

    /// <summary>False once it is known that no other build than the app's executed last.</summary>
    public bool IsOther => _told is null || _isOther;

    /// <summary>
    /// False once it is known that nothing has to be saved, or has been: until then nothing that nobody has executed is given to the app.
    /// </summary>
    public bool IsOpen { get; private set; } = true;

    /// <summary>The app is given the checkpoint that lies after this record.</summary>
    public void BeginBehind(Lsn from) => _from = from;

    /// <summary>The app has compared its build with the one of the checkpoint.</summary>
    /// <exception cref="CoordinatorException">This replica follows, and another build executes what it follows (IC-3014).</exception>
    public void Told(BuildCompared compared)
    {
        _told = compared;
        _isOther = compared.IsOther || (services.State.Upgrades.Build is { } last && last.Build != compared.Build);
        IsOpen &= _isOther;
        if (services.Position.Follows && services.State.Upgrades.Build is { } mark)
        {
            Followed(mark);
        }
    }

    /// <summary>
    /// The replay has crossed an upgrade, and the app compared its build with the one that executed what follows; before
    /// <see cref="Converted"/>.
    /// </summary>
    public void Crossed(BuildCompared compared)
    {
        Told(compared);
        (IsOpen, _hasCrossed) = (_isOther, true);
    }

    /// <summary>An upgrade was completed: its checkpoint is there, or was.</summary>
    public void Converted()
    {
        if (!_hasCrossed)
        {
            (_isOther, IsOpen) = (false, false);
        }

        _hasCrossed = false;
    }

    /// <summary>For a secondary: the log or a checkpoint says which build executes from a record on.</summary>
    /// <exception cref="CoordinatorException">The app began before that, and compares with a build before that one (IC-3014).</exception>
    public void Followed(BuildStep mark)
    {
        // Two checkpoints may lie after one record, one after the other. An app that has begun with the new build's knows that it is
        // other.
        bool beganBefore = mark.At > _from || (mark.At == _from && _told is { IsOther: false });
        if (_told is not null && beganBefore && (_told.IsOther || _told.Build != mark.Build))
        {
            throw CoreFailures.OtherBuild(services.Instance, mark, _told.Build);
        }
    }

    /// <summary>Whether the app must wait at the end of its replay; asks for the checkpoint that it waits for.</summary>
    /// <param name="at">Record at which the app is, and stays while it waits.</param>
    /// <exception cref="NewerCheckpointException">Another replica has gone on meanwhile: the app begins again.</exception>
    public async ValueTask<bool> HoldsAsync(Lsn at)
    {
        if (_told is null)
        {
            return true;
        }

        if (_isOther && !_asked)
        {
            _asked = true;
            await BeginAsync();
            checkpoints.NewBuild = new BuildStep(at, _told.Build);
            checkpoints.Want();
        }

        if (_isOther && (checkpoints.IsWantedBehind(at) || checkpoints.Busy))
        {
            return true;
        }

        if (checkpoints.NewBuild is { } mark)
        {
            // Before the app acts, and after its checkpoint: a replica of another build begins again, with that one.
            checkpoints.NewBuild = null;
            await services.Decisions.LogAsync(mark);
            await EndAsync();
            if (!checkpoints.IsNewBuildSaved)
            {
                checkpoints.Want(); // Until there is one, no replica gets past the mark.
            }
        }

        return IsOpen = false;
    }

    /// <summary>Other replicas may make checkpoints again.</summary>
    public async ValueTask EndAsync()
    {
        if (_hasRoom)
        {
            _hasRoom = false;
            await services.EndUpgradeAsync();
        }
    }

    // A checkpoint of the build before that lay further on would be the newest, and say of what the new one has executed that the old one
    // has.
    private async ValueTask BeginAsync()
    {
        bool? room;
        do
        {
            room = await services.BeginBuildAsync();
        }
        while (room == false && !hasEnded()); // Another replica stands still with a checkpoint in its hands.
        _hasRoom = room == true;
        if (_hasRoom && await services.Log.OpenNewestValidCheckpointAsync(services.Position.Durable) is { } newest)
        {
            await using (newest)
            {
                if (newest.Lsn > Lsn.Max(_from, checkpoints.Newest))
                {
                    throw new NewerCheckpointException($"another replica has made a checkpoint at {newest.Lsn}");
                }
            }
        }
    }
}
