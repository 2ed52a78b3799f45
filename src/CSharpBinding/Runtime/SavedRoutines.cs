namespace Ambrosia.Runtime;

/// <summary>The schedules of an immortal, and its sagas that compensate, as they stand in a checkpoint.</summary>
internal sealed class SavedRoutines(SavedSchedule[] schedules, SagaRun[] sagas)
{
    private readonly SavedSchedule[] _schedules = schedules;
    private readonly SagaRun[] _sagas = sagas;

    /// <summary>Schedules in the order of their names.</summary>
    public SavedSchedule[] Schedules => _schedules;

    /// <summary>Sagas in the order in which they began to compensate.</summary>
    public SagaRun[] Sagas => _sagas;

    /// <summary>True if there is nothing to save.</summary>
    public bool IsEmpty => _schedules.Length + _sagas.Length == 0;

    /// <summary>Throws if this build cannot run one of them.</summary>
    /// <exception cref="CannotResumeException">A method is gone.</exception>
    public void Check(ImmortalContract contract)
    {
        string[] refusals =
        [
            .. _schedules.Where(schedule => contract.Methods.All(method => method.Id != schedule.Method)).Select(schedule =>
                $"Schedule '{schedule.Name}' calls method {schedule.Method} of {contract.InterfaceName}, which is gone. Keep "
                + $"the old method "
                    + $"until the schedule calls another or is cancelled, or give the new one its number with "
                    + $"[MethodId({schedule.Method})]."),
        ];
        if (refusals.Length > 0)
        {
            throw new CannotResumeException(refusals);
        }
    }
}
