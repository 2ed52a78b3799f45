using System.IO.Pipelines;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What the app's stream says beside its outputs.</summary>
internal interface IAppEvents
{
    /// <summary>A checkpoint of this many bytes begins at the reader's position; read exactly that many.</summary>
    ValueTask CheckpointAsync(PipeReader input, long size);

    /// <summary>The app was asked for a checkpoint and sends none.</summary>
    void CheckpointDeclined(CheckpointDeclined answer);

    /// <summary>The first message that the app wants to receive.</summary>
    void InitialMessage(byte[] message);

    /// <summary>Turns have ended; their outputs were just released.</summary>
    void Progressed(Progress progress);

    /// <summary>An app of the published protocol has sent a message: it counts as it comes.</summary>
    void LegacySent();

    /// <summary>The app has consumed BecomingPrimary.</summary>
    void BecamePrimary();

    /// <summary>Throws unless impulses may be sent now.</summary>
    void RequirePrimary();

    /// <summary>An app of the published protocol asks for a sign of life: data of the message.</summary>
    void Pinged(byte[] data);

    /// <summary>The app asks to be asked for a checkpoint.</summary>
    void CheckpointWanted();

    /// <summary>A handler threw: data of the message.</summary>
    void HandlerFaulted(byte[] data);

    /// <summary>A turn begins or has been running for a while: data of the message.</summary>
    void TurnIsRunning(byte[] data);

    /// <summary>The app tells its state: data of the message.</summary>
    void StateTold(byte[] data);

    /// <summary>The app answers a query: data of the message.</summary>
    void QueryAnswered(byte[] data);

    /// <summary>The app says which version of its state it holds, and which it wants.</summary>
    void VersionTold(StateVersion version);

    /// <summary>The app has loaded a checkpoint, and says whether its own build saved it.</summary>
    void BuildTold(BuildCompared compared);

    /// <summary>The app says what it answers to.</summary>
    ValueTask ContractToldAsync(BindingContract contract);

    /// <summary>The app says what its methods take and return.</summary>
    void ShapesTold(BindingShapes shapes);

    /// <summary>The app answers that it is there.</summary>
    void GaveSignOfLife()
    {
    }

    /// <summary>The app says how its effects stand.</summary>
    void EffectsWereTold(EffectsTold told);

    /// <summary>The app says how its schedules and compensations stand.</summary>
    void RoutinesWereTold(RoutinesTold told);

    /// <summary>The app did not convert its state.</summary>
    void UpgradeFailed(UpgradeFailure failure);

    /// <summary>True once somebody else reads what the app sends after its checkpoint.</summary>
    bool HasHandedOver { get; }

    /// <summary>The app is about to end, and waits until it may.</summary>
    void LeaveWanted(string reason);

    /// <summary>The app is about to end by itself.</summary>
    void Leaving(string reason);
}
