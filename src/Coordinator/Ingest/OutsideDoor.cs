using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>What a process has while it admits calls from outside: it is the primary, and the instance exists.</summary>
/// <param name="Context">The core's.</param>
/// <param name="Input">The input that they are logged as.</param>
/// <param name="Table">The calls that the log holds.</param>
/// <param name="Admission">Decides on them.</param>
/// <param name="Pipeline">Takes them to the log.</param>
/// <param name="Epoch">The epoch of this process.</param>
/// <param name="VerifyLease">Whether no other process may append; fails if one may.</param>
/// <param name="Start">Starts a loop of the core.</param>
/// <param name="InstanceId">Id of the instance's log.</param>
internal sealed record OutsideDoor(
    SynchronizationContext Context, InputState Input, OutsideCalls Table, OutsideAdmission Admission, InputPipeline Pipeline, ulong Epoch,
    Func<ValueTask<bool>> VerifyLease, Action<Func<Task>> Start, Guid InstanceId);
