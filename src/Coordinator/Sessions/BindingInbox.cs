using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>Reads what an app of the binding protocol sends.</summary>
/// <inheritdoc cref="AppInbox"/>
internal sealed class BindingInbox(PipeReader input, AppServices services, IAppEvents events, CancellationToken ended,
    AppInbox? before = null)
    : AppInbox(input, services, events, ended, before)
{
    protected override async ValueTask TakeAsync(AppMessage message, ReadOnlySequence<byte> buffer)
    {
        switch (message.Type)
        {
            case BindingMessageType.Progress:
                EscapedOpenTurn |= HasOpenTurn; // Until all of it is released: that may have to wait, and the app may die.
                await ReleaseAsync(buffer);
                EscapedOpenTurn = false;
                Events.Progressed(Progress.Read(message.ToArray()));
                break;
            case BindingMessageType.Destination:
                DefineDestination(message);
                break;
            case BindingMessageType.Impulses:
                RequireClosedTurn(message);
                await TakeImpulsesAsync(message);
                break;
            case BindingMessageType.InitialMessage:
                Events.InitialMessage(message.ToArray());
                break;
            case BindingMessageType.BecomingPrimary:
                Events.BecamePrimary();
                break;
            case BindingMessageType.TakeCheckpoint:
                Events.CheckpointWanted();
                break;
            case BindingMessageType.CheckpointDeclined:
                Events.CheckpointDeclined(CheckpointDeclined.Read(message.ToArray()));
                break;
            case BindingMessageType.Contract:
                await Events.ContractToldAsync(BindingContract.Read(message.ToArray()));
                break;
            case BindingMessageType.Goodbye:
                Events.Leaving(new ByteReader(message.ToArray()).ReadString(FrameLimits.HandshakeString, "goodbye reason"));
                break;
            case BindingMessageType.Drain:
                Events.LeaveWanted(new ByteReader(message.ToArray()).ReadString(FrameLimits.HandshakeString, "drain reason"));
                break;
            default:
                TakeReport(message);
                break;
        }
    }

    // What the app tells of itself and of what it was asked.
    private void TakeReport(in AppMessage message)
    {
        switch (message.Type)
        {
            case BindingMessageType.HandlerFault:
                Events.HandlerFaulted(message.ToArray());
                break;
            case BindingMessageType.TurnRunning:
                Events.TurnIsRunning(message.ToArray());
                break;
            case BindingMessageType.StateReply:
                Events.StateTold(message.ToArray());
                break;
            case BindingMessageType.QueryReply:
                Events.QueryAnswered(message.ToArray());
                break;
            case BindingMessageType.StateVersion:
                Events.VersionTold(StateVersion.Read(message.ToArray()));
                break;
            case BindingMessageType.BuildCompared:
                Events.BuildTold(BuildCompared.Read(message.ToArray()));
                break;
            case BindingMessageType.Shapes:
                Events.ShapesTold(BindingShapes.Read(message.ToArray()));
                break;
            case BindingMessageType.Effects:
                Events.EffectsWereTold(EffectsTold.Read(message.ToArray()));
                break;
            case BindingMessageType.Routines:
                Events.RoutinesWereTold(RoutinesTold.Read(message.ToArray()));
                break;
            case BindingMessageType.UpgradeFailed:
                Events.UpgradeFailed(UpgradeFailure.Read(message.ToArray()));
                break;
            case BindingMessageType.Heartbeat:
                Events.GaveSignOfLife();
                break;
            case BindingMessageType.AttachTo:
                break;
            default:
                // Types of later versions are skipped by their size; those below 64 were never the app's to send.
                if ((byte)message.Type < (byte)BindingMessageType.Hello)
                {
                    throw new ProtocolException($"message of type {(byte)message.Type} from an app", 0);
                }

                break;
        }
    }

    private async ValueTask TakeImpulsesAsync(AppMessage message)
    {
        Events.RequirePrimary();
        (string destination, ReadOnlySequence<byte> run, int declared) = ReadRun(message);
        (int count, int replayable) = MessageRun.Count(run, (int)Limits.MaxMessageBytes, Router.OriginOf(destination));
        if (count != declared || replayable != 0)
        {
            throw new ProtocolException($"Impulses says {declared} impulses, holds {count - replayable} of {count}", 0);
        }

        await Router.RouteImpulsesAsync(destination, run, count, Ended);
    }
}
