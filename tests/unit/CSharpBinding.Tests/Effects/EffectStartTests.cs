using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Ambrosia.Primitives;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>An app that is set up wrong for its effects does not start (docs/internals/effect-rules.md E24).</summary>
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

    [Theory]
    [InlineData("IPay.Pay attempts=1", "names IPay.Pay, which is no effect of this app: it asks for IPay.Charge.")]
    [InlineData("Charge attempts=1", "names Charge, which is no effect of this app: it asks for IPay.Charge.")]
    public async Task An_app_whose_configuration_names_another_effect_does_not_start(string text, string reason)
    {
        PayEffects.IsGone = false;
        _options.UseEffects<IPay>(static _ => new Till()).EffectsRetry = text;
        OptionException wrong = await Assert.ThrowsAsync<OptionException>(() => StartAsync(new Payer()));
        Assert.Equal($"--effects-retry {reason}", wrong.Message);
    }

    [Theory]
    [InlineData("IPay.Charge")]
    [InlineData("IPay.Charge attempts")]
    [InlineData("IPay.Charge attempts=-1")]
    [InlineData("IPay.Charge retries=1")]
    [InlineData("IPay.Charge timeout=10")]
    [InlineData("IPay.Charge timeout=00:00:00")]
    [InlineData("IPay.Charge first=21.00:00:00")]
    public void What_is_no_configuration_of_retries_is_refused(string text)
    {
        AppOption option = AppOption.All.Single(static each => each.Name == "effects-retry");
        OptionException wrong = Assert.Throws<OptionException>(() => option.Apply(_options, text, "--effects-retry"));
        Assert.StartsWith($"'{text}' is not a value for --effects-retry", wrong.Message, StringComparison.Ordinal);
    }

    [Fact] // E11
    public void What_is_said_of_a_method_counts_before_what_is_said_of_its_interface()
    {
        PayEffects.IsGone = false;
        PayEffects.Policy = PayEffects.Quick;
        var effect = new PendingEffect(new EffectKey(1, 0, 0), new PayEffects(), 1, [0x91, 1], 1, null);
        string full = typeof(IPay).FullName!;
        string text = $"{full}.Charge timeout=00:00:02 attempts=5; IPay timeout=00:00:09 within=1.00:00:00 first=00:02:00;IMail attempts=9";
        Assert.Equal(PayEffects.Quick, RetryOverrides.None.Of(effect));
        long minute = TimeSpan.TicksPerMinute;
        Assert.Equal(new EffectPolicy(2 * TimeSpan.TicksPerSecond, 2 * minute, 2 * minute, TimeSpan.TicksPerDay, 5),
            RetryOverrides.Parse(text).Of(effect));
    }

    private async Task StartAsync(Immortal immortal)
    {
        var host = new ImmortalHost(() => immortal, _options);
        host.CheckEffects();
        await host.RunAsync(DuplexPipe.Create().App, CancellationToken.None);
    }
}
