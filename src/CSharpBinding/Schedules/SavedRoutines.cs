namespace Ambrosia.Runtime;

/// <summary>The schedules of an immortal as they stand in a checkpoint.</summary>
internal sealed class SavedRoutines(SavedSchedule[] schedules)
{
    private readonly SavedSchedule[] _schedules = schedules;

    /// <summary>Schedules in the order of their names.</summary>
    public SavedSchedule[] Schedules => _schedules;

    /// <summary>Throws if this build cannot run one of them.</summary>
    /// <exception cref="CannotResumeException">A method is gone.</exception>
    public void Check(ImmortalContract contract)
    {
        string[] refusals =
        [
            .. _schedules.Where(schedule => contract.Methods.All(method => method.Id != schedule.Method)).Select(schedule =>
                $"Schedule '{schedule.Name}' calls method {schedule.Method} of {contract.InterfaceName}, which is gone. Keep the old method "
                    + $"until the schedule calls another or is cancelled, or give the new one its number with [MethodId({schedule.Method})]."),
        ];
        if (refusals.Length > 0)
        {
            throw new CannotResumeException(refusals);
        }
    }
}
