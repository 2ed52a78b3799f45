using Ambrosia.LogStore;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>
/// What an app says of its build. One of another build than the checkpoint's has its own checkpoint before it acts: what lies after a
/// checkpoint was then executed by the build that saved it, and by no other (docs/builds.md).
/// </summary>
internal sealed class BuildChange
{
    private bool? _isOther;
    private bool _asked;

    /// <summary>True once the app has said that another build saved the checkpoint it has loaded.</summary>
    public bool IsOther => _isOther == true;

    /// <summary>
    /// False once it is known that nothing has to be saved, or has been: until then nothing that nobody has executed is given to the app.
    /// </summary>
    public bool IsOpen { get; private set; } = true;

    /// <summary>The app has compared.</summary>
    public void Told(bool isOther)
    {
        _isOther = isOther;
        IsOpen &= isOther;
    }

    /// <summary>Whether the app must wait at the end of its replay; asks for the checkpoint that it waits for.</summary>
    /// <param name="checkpoints">Where it is asked for.</param>
    /// <param name="at">Record at which the app is.</param>
    public bool Holds(CheckpointExchange checkpoints, Lsn at)
    {
        if (_isOther is not { } other)
        {
            return true;
        }

        if (other && !_asked)
        {
            _asked = true;
            checkpoints.Want();
        }

        IsOpen = other && (checkpoints.IsWantedBehind(at) || checkpoints.Busy);
        return IsOpen;
    }
}
