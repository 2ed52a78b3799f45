using System.Buffers;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Upgrading;

namespace Ambrosia.Sessions;

/// <summary>What an app says of itself when it attaches.</summary>
/// <param name="Instance">Instance that it wants to be; "" for whatever the coordinator serves.</param>
/// <param name="AppVersion">Version of the app, for people.</param>
/// <param name="BuildFingerprint">Identifies the build: suspended methods are resumed by the same build only.</param>
/// <param name="Token">Secret of the binding link, or "".</param>
/// <param name="Incarnation">Random id of this connection.</param>
internal sealed record SessionIdentity(string Instance, string AppVersion, string BuildFingerprint, string Token, Guid Incarnation)
{
    private const ulong Always = BindingFeatures.Steps | BindingFeatures.Parts | BindingFeatures.Limits | BindingFeatures.Builds
        | BindingFeatures.Contracts | BindingFeatures.Farewell | BindingFeatures.Effects | BindingFeatures.EffectRequests
        | BindingFeatures.Routines | BindingFeatures.Shapes | BindingFeatures.Awakeables;

    /// <summary>Opens the link.</summary>
    /// <param name="writer">To the coordinator.</param>
    /// <param name="interfaceHash">Hash of the immortal's contract.</param>
    /// <param name="upgrades">How states of other classes become this one; null: they do not.</param>
    public void SayHello(LinkWriter writer, string interfaceHash, UpgradeSettings? upgrades)
    {
        ulong features = Always | (upgrades is null ? 0 : BindingFeatures.Upgrades) | (upgrades is { Replaces: true }
            ? BindingFeatures.TakesOver : 0);
        Version version = typeof(Immortal).Assembly.GetName().Version ?? new Version(0, 0);
        var data = new ArrayBufferWriter<byte>();
        new BindingHello(
            BindingHello.CurrentVersion, BindingHello.CurrentVersion, features, Incarnation, $"csharp {version.ToString(3)}",
            AppVersion, interfaceHash, BuildFingerprint, Instance, Token).Write(data);
        writer.SubmitControl(BindingMessageType.Hello, data.WrittenSpan);
    }

    /// <summary>
    /// Says what the app answers to: for people, and for what turns calls from outside into its own. Only the app that acts does: one that
    /// follows, or is replayed, is not the one whose log it is.
    /// </summary>
    public static void TellContract(LinkWriter writer, ImmortalRuntime runtime)
    {
        string text = runtime.Immortal.GetContract().ToText();
        if ((runtime.Welcome.Features & BindingFeatures.Contracts) != 0 && text.Length > 0 && BindingContract.IsValid(text))
        {
            var data = new ArrayBufferWriter<byte>();
            new BindingContract(text).Write(data);
            writer.SubmitControl(BindingMessageType.Contract, data.WrittenSpan);
        }

        string methods = runtime.Immortal.GetContract().Shapes;
        string shapes = (runtime.Welcome.Features & BindingFeatures.Awakeables) == 0 ? methods : AwakeableTypes.AddTo(methods);
        if ((runtime.Welcome.Features & BindingFeatures.Shapes) != 0 && shapes.Length > 0 && BindingShapes.IsValid(shapes))
        {
            var data = new ArrayBufferWriter<byte>();
            new BindingShapes(shapes).Write(data);
            writer.SubmitControl(BindingMessageType.Shapes, data.WrittenSpan);
        }
    }
}
