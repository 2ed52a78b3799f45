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
/// <param name="newestCheckpoint">Record of the newest checkpoint that the coordinator knows to be durable.</param>
internal sealed class ScriptedBuild(BuildPlan plan, ulong own, AppLife life, Func<ulong> newestCheckpoint)
{
    private ulong _saved; // By which build the state was, as far as this app knows; 0 before it has one.
    private ulong _savedAt;
    private bool _follows;
    private bool _isWaiting;

    /// <summary>What the app says that it can.</summary>
    public ulong Features => plan.IsOn ? BindingFeatures.Builds : 0;

    /// <summary>True between the comparison with another build and the moment in which it acts: its state can be saved then.</summary>
    public bool MustSave => _isWaiting;

    /// <summary>False while nobody else may have seen the states that this app goes through: another build may act meanwhile.</summary>
    public bool TellsStates => !plan.IsOn || !_follows;

    /// <summary>What is mixed into a state in whose making this record is executed.</summary>
    public ulong CodeOf(in RecordInfo record)
    {
        bool executedBefore = (record.Flags & RecordInfo.Replay) != 0 && (record.Flags & RecordInfo.Unexecuted) == 0;
        if (!executedBefore && _saved is not 0 && _saved != own && _savedAt > 0 && newestCheckpoint() >= _savedAt)
        {
            life.Listener.Sometimes(Sighting.BuildChanged);
            _saved = own;
        }

        return plan.IsOn && _saved > 0 ? _saved : plan.IsOn ? own : 0;
    }

    /// <summary>It is welcome.</summary>
    public void Welcomed(BindingMode mode) => _follows = mode == BindingMode.Secondary;

    /// <summary>It acts.</summary>
    public void Acts() => (_follows, _isWaiting) = (false, false);

    /// <summary>Which build saves a state behind this record.</summary>
    public ulong Save(ulong lsn)
    {
        _savedAt = _savedAt == 0 && _isWaiting ? Math.Max(1, lsn) : _savedAt;
        return _isWaiting || _saved == 0 ? own : _saved;
    }

    /// <summary>Compares with the build that saved what was loaded.</summary>
    public Action<IBufferWriter<byte>> Compare(ulong saved)
    {
        (_saved, _isWaiting) = (saved, saved != own);
        return new BuildCompared(saved != own, $"build {own}").Write;
    }
}
