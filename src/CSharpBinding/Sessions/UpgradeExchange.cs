using System.Buffers;
using Ambrosia.Builds;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Upgrading;

namespace Ambrosia.Sessions;

/// <summary>What the coordinator and an app say to each other of versions: which one a state is of, and its conversion
/// (docs/guide/upgrade.md).</summary>
internal sealed class UpgradeExchange(ImmortalRuntime runtime, LinkWriter writer, BuildCheck builds, SessionSettings settings,
    StateUpgrade? upgrade)
{
    /// <summary>True if this app knows of versions.</summary>
    public bool IsKnown => upgrade is not null;

    /// <summary>Has the immortal be of the class that wrote a state: the class is the version.</summary>
    /// <exception cref="CheckpointException">This app does not know that class.</exception>
    public void RequireClass(AppStateHeader header)
    {
        Immortal present = runtime.Immortal;
        if (Conversion.NameOf(present.GetType()) != header.Class)
        {
            runtime.Become(upgrade?.Create(header.Class)
                ?? throw CheckpointException.OfAnotherClass(header.Class, header.Build, present.GetType()));
        }
    }

    /// <summary>Tells which version the state is of, and which one it is to become.</summary>
    public void TellVersion()
    {
        var data = new ArrayBufferWriter<byte>();
        new StateVersion(upgrade!.Version, upgrade.Goal).Write(data);
        writer.SubmitControl(BindingMessageType.StateVersion, data.WrittenSpan);
    }

    /// <summary>Converts the state, and sends it if that is wanted. What was sent before it must stand before it in the stream.</summary>
    public void Convert(ConversionRequest request, bool wantsCheckpoint)
    {
        string from = upgrade!.Version;
        try
        {
            Failpoint.Pass("B7");
            ChunkedBuffer checkpoint = upgrade.Convert(request.Goal);
            Failpoint.Pass("B8");
            BindingLog.Upgraded(settings.Logger, runtime.Welcome.Instance, from, upgrade.Version, runtime.Clock.Lsn);
            builds.Converted(request.Executed);
            if (wantsCheckpoint)
            {
                builds.Tell(writer);
                writer.SubmitCheckpoint(checkpoint);
            }
            else
            {
                checkpoint.Dispose();
            }
        }
        catch (UpgradeRefusedException refused)
        {
            var data = new ArrayBufferWriter<byte>();
            new UpgradeFailure(refused.MayPass, refused.Message).Write(data);
            writer.SubmitControl(BindingMessageType.UpgradeFailed, data.WrittenSpan);
        }
    }
}
