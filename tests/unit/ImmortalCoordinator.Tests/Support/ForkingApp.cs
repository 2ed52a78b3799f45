using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A scripted app that forks to itself and to a shop.</summary>
internal static class ForkingApp
{
    public const byte Self = 0;
    public const byte Shop = 1;

    public static async Task DefineAsync(this ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(Self, "").Write);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(Shop, "shop").Write);
    }

    /// <summary>One fork of method 1 with one byte as its arguments.</summary>
    public static Task ForkAsync(this ScriptedApp app, byte destination, byte argument) =>
        app.SayAsync(BindingMessageType.Outputs, output => output.Write((ReadOnlySpan<byte>)[destination, 1, 10, 0, 0, 2, 1, argument]));

    /// <summary>An app begins, forks to itself in its first record, and goes when the second has come, which tells of the first.</summary>
    public static async Task LiveAsync(CoreUnderTest core)
    {
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DefineAsync();
        await app.ForkAsync(Self, 1);
        await app.DoneAsync(1);
        await app.HearAsync(BindingMessageType.Rpc);
    }
}
