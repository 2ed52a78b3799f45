using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Ambrosia.Primitives;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>An app that is set up wrong for its effects does not start (docs/effects.md E24).</summary>
[Collection(nameof(Payer))]
public sealed class EffectStartTests
{
    private readonly ImmortalOptions _options = new() { InstanceName = "payer" };

    [Fact]
    public async Task An_app_without_a_class_for_what_its_code_asks_for_does_not_start()
    {
        PayEffects.IsGone = false;
        OptionException wrong = await Assert.ThrowsAsync<OptionException>(() => StartAsync(new Payer()));
        Assert.Equal("Nothing performs the effects of Ambrosia.CSharpBinding.Tests.Effects.IPay, for which "
            + "Ambrosia.CSharpBinding.Tests.Effects.Payer asks: register a class with options.UseEffects<IPay>(...), or as a service "
            + "of the host.", wrong.Message);
        Assert.Equal(AppExitCode.Usage, AppFailure.CodeOf(wrong));
    }

    [Fact]
    public void What_a_class_asks_for_is_found_in_its_code()
    {
        Assert.Equal(["IPay"], EffectUses.Of(typeof(Payer)).Select(static contract => contract.InterfaceType.Name));
        Assert.Empty(EffectUses.Of(typeof(Counter)));
    }

    [Theory]
    [InlineData(61, 32, "--effects-drain 61 is too long: a clean stop waits for effects 60 s at most.")]
    [InlineData(5, 0, "--effects-at-once 0 is too few")]
    public async Task An_option_that_cannot_be_kept_ends_the_app_before_it_starts(int drain, int atOnce, string text)
    {
        _options.EffectsDrain = TimeSpan.FromSeconds(drain);
        _options.EffectsAtOnce = atOnce;
        var host = new ImmortalHost(static () => new Counter(), _options);
        OptionException wrong = await Assert.ThrowsAsync<OptionException>(() => host.RunAsync(CancellationToken.None));
        Assert.StartsWith(text, wrong.Message, StringComparison.Ordinal);
    }

    private async Task StartAsync(Immortal immortal)
    {
        var host = new ImmortalHost(() => immortal, _options);
        host.CheckEffects();
        await host.RunAsync(DuplexPipe.Create().App, CancellationToken.None);
    }
}
