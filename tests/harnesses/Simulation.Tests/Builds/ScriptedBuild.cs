using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The build of one scripted app. What it executes leaves another state behind than what other builds execute, and what was executed
/// before it executes as the build did that the checkpoint names: is that another than the one that was executed by, states differ.
/// </summary>
/// <param name="plan">Whether there are several.</param>
/// <param name="own">The number of this one.</param>
/// <param name="life">Whose it is.</param>
/// <param name="checkpointsTaken">How many checkpoints the coordinator has made durable.</param>
internal sealed class ScriptedBuild(BuildPlan plan, ulong own, AppLife life, Func<long> checkpointsTaken)
{
    private ulong _saved; // By which build the state was, as far as this app knows; 0 before it has one.
    private long? _takenBefore; // Its first checkpoint, until it is known whether that became durable.
    private bool _follows;
    private bool _isWaiting;

    /// <summary>What the app says that it can.</summary>
    public ulong Features => plan.IsOn ? BindingFeatures.Builds : 0;

    /// <summary>True between the comparison with another build and the moment in which it acts: its state can be saved then.</summary>
    public bool MustSave => _isWaiting;

    /// <summary>
    /// False while nobody else may have seen the states that this app goes through: another build may act meanwhile, or what lies after
    /// a checkpoint that had not been written was executed as by the build before, until that checkpoint was found.
    /// </summary>
    public bool TellsStates => !plan.IsOn || (!_follows && !plan.HasActedUnsaved(life.Instance, _saved));

    /// <summary>What is mixed into a state in whose making this record is executed.</summary>
    public ulong CodeOf(in RecordInfo record)
    {
        bool executedBefore = (record.Flags & RecordInfo.Replay) != 0 && (record.Flags & RecordInfo.Unexecuted) == 0;
        if (!executedBefore && _takenBefore is not null)
        {
            Decide();
        }

        return plan.IsOn && _saved > 0 ? _saved : plan.IsOn ? own : 0;
    }

    /// <summary>It is welcome.</summary>
    public void Welcomed(BindingMode mode) => _follows = mode == BindingMode.Secondary;

    /// <summary>It acts.</summary>
    public void Acts()
    {
        if (_takenBefore is not null)
        {
            Decide();
        }

        (_follows, _isWaiting) = (false, false);
    }

    /// <summary>
    /// Which build a state is of that is saved now. One that acts although its first checkpoint failed goes on as the one before: what it
    /// executes beside a later checkpoint would be of the one or the other build, as that becomes durable or not.
    /// </summary>
    public ulong Saves()
    {
        _takenBefore = _isWaiting ? checkpointsTaken() : null;
        return _isWaiting || _saved == 0 ? own : _saved;
    }

    /// <summary>Compares with the build that saved what was loaded.</summary>
    public Action<IBufferWriter<byte>> Compare(ulong saved)
    {
        (_saved, _isWaiting) = (saved, saved != own);
        return new BuildCompared(saved != own, $"build {own}").Write;
    }

    private void Decide()
    {
        if (_saved != own && checkpointsTaken() > _takenBefore)
        {
            life.Listener.Sometimes(Sighting.BuildChanged);
            _saved = own;
        }
        else if (_saved != own)
        {
            plan.ActsUnsaved(life.Instance, own);
        }

        _takenBefore = null;
    }
}
