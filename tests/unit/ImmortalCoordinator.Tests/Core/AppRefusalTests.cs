using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Apps that the coordinator does not let in, and what it tells them.</summary>
public sealed class AppRefusalTests
{
    [Fact]
    public async Task A_second_app_is_refused_while_the_first_is_attached()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp first = await core.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using ScriptedApp second = await core.ConnectAppAsync();
        await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        Assert.Equal("IC-1031", (await second.HearRefusalAsync()).Code);
    }

    [Theory]
    [InlineData(new byte[] { 1, 2, 3, 4 })] // Size -1.
    [InlineData(new byte[] { 0xFE, 0xFF, 0xFF, 0xFF, 0x0F })] // 2 GiB to come.
    [InlineData(new byte[] { 4, 0, 7 })] // A whole message, but no Hello.
    [InlineData(new byte[] { 10, 64, 0x41, 0x4D, 0x42, 0x33 })] // "AMB3".
    public async Task Bytes_that_are_no_Hello_are_refused_and_the_next_app_is_served(byte[] bytes)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using (ScriptedApp unknown = await core.ConnectAppAsync())
        {
            await unknown.SayBytesAsync(bytes);
            Assert.Equal("IC-1032", (await unknown.HearRefusalAsync()).Code);
        }

        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
    }

    [Fact]
    public async Task An_app_of_another_protocol_version_of_another_instance_or_without_the_token_is_refused()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(token: "secret");
        Assert.Equal("IC-1033", await RefusalAsync(core, ScriptedApp.Hello with { MinVersion = 3, MaxVersion = 9 }));
        Assert.Equal("IC-1034", await RefusalAsync(core, ScriptedApp.Hello with { Instance = "shop", Token = "secret" }));
        Assert.Equal("IC-1035", await RefusalAsync(core, ScriptedApp.Hello));
        Assert.Equal("IC-1035", await RefusalAsync(core, ScriptedApp.Hello with { Token = "secre" }));
    }

    [Theory]
    [InlineData(1, 1)] // An old binding and a new coordinator.
    [InlineData(3, 4)] // The other way round.
    public async Task An_app_of_another_protocol_version_is_told_what_to_do(ulong oldest, ulong newest)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, (ScriptedApp.Hello with { MinVersion = oldest, MaxVersion = newest }).Write);
        BindingRefused refusal = await app.HearRefusalAsync();
        Assert.Equal(
            $"the app speaks versions {oldest} to {newest} of the binding protocol, this coordinator 2: give both the same "
            + $"version of Ambrosia",
            refusal.Reason);
    }

    [Fact]
    public async Task An_app_that_comes_while_the_coordinator_stops_sees_it_gone_and_is_not_refused()
    {
        CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.CheckpointOnStop = TimeSpan.Zero);
        ScriptedApp first = await core.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using ScriptedApp second = await core.ConnectAppAsync();
        ValueTask stopped = core.DisposeAsync();
        await first.HearAsync(BindingMessageType.Drain);
        await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await first.DisposeAsync();
        await Assert.ThrowsAnyAsync<IOException>(() => second.HearAsync(BindingMessageType.Welcome, before: BindingMessageType.Refused));
        await stopped;
    }

    private static async Task<string> RefusalAsync(CoreUnderTest core, BindingHello hello)
    {
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, hello.Write);
        return (await app.HearRefusalAsync()).Code;
    }
}
