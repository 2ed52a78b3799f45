using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

/// <summary>Immortals whose constructors take services, and services that would become state.</summary>
public sealed class ImmortalFactoryTests
{
    private readonly Services _services = new();

    [Fact]
    public void A_class_that_needs_nothing_is_made_without_services()
    {
        Assert.Equal(0, ImmortalFactory.Make<Counter>(null).Total);
        Assert.Null(ImmortalFactory.Make<Either>(_services).Clock);
    }

    [Fact]
    public void A_constructor_gets_services_and_defaults()
    {
        Injected made = ImmortalFactory.Make<Injected>(_services);
        Assert.Same(_services.Clock, made.Clock);
        Assert.Equal(7, made.Size);
        Assert.Same(_services.Clock, ImmortalFactory.Make<Chosen>(_services).Clock);
    }

    [Fact]
    public void A_service_in_a_saved_field_is_refused_by_name()
    {
        Assert.StartsWith($"{nameof(Saving)}._clock would save the service {typeof(Clock).FullName} with the state: mark the "
            + $"field [NotSaved].",
            Refusal<Saving>(), StringComparison.Ordinal);
        Assert.StartsWith($"{nameof(SavingDeep)}._helpers._items.[1].<Clock>k__BackingField would save ", Refusal<SavingDeep>(),
            StringComparison.Ordinal);
        Assert.StartsWith($"{nameof(Captured)}.<clock>P would save ", Refusal<Captured>(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_service_is_named_and_the_class_that_wants_it()
    {
        string text = Refusal<Wanting>();
        Assert.StartsWith($"{typeof(Wanting).FullName} cannot be made: ", text, StringComparison.Ordinal);
        Assert.Contains(typeof(IFormatProvider).FullName!, text, StringComparison.Ordinal);
    }

    [Fact]
    public void An_app_without_services_is_told_what_to_do()
    {
        OptionException error = Assert.Throws<OptionException>(static () => ImmortalFactory.Make<Injected>(null));
        Assert.Contains("add it to a host with AddImmortal", error.Message, StringComparison.Ordinal);
    }

    private string Refusal<T>()
        where T : Immortal => Assert.Throws<OptionException>(() => ImmortalFactory.Make<T>(_services)).Message;

    private sealed class Clock;

    private sealed class Services : IServiceProvider
    {
        public Clock Clock { get; } = new();

        public object? GetService(Type serviceType) => serviceType == typeof(Clock) ? Clock : null;
    }

    private sealed class Injected : Counter
    {
        public Injected(Clock clock, int size = 7) => (Clock, Size) = (clock, size);

        [NotSaved]
        public Clock Clock { get; }

        public int Size { get; }
    }

    private sealed class Either : Counter
    {
        public Either()
        {
        }

        public Either(Clock clock) => Clock = clock;

        [NotSaved]
        public Clock? Clock { get; }
    }

    private sealed class Chosen : Counter
    {
        public Chosen()
        {
        }

        [ActivatorUtilitiesConstructor]
        public Chosen(Clock clock) => Clock = clock;

        [NotSaved]
        public Clock? Clock { get; }
    }

    private sealed class Saving(Clock clock) : Counter
    {
        private readonly Clock _clock = clock;

        public override string ToString() => _clock.ToString()!;
    }

    private sealed class SavingDeep(Clock clock) : Counter
    {
        private readonly List<Helper> _helpers = [new(null), new(clock)];

        public override string ToString() => _helpers.Count.ToString(System.Globalization.CultureInfo.InvariantCulture);
    }

    private sealed class Captured(Clock clock) : Counter
    {
        public override string ToString() => clock.ToString()!;
    }

    private sealed class Wanting(IFormatProvider format) : Counter
    {
        public override string ToString() => format.ToString()!;
    }

    private sealed record Helper(Clock? Clock);
}
