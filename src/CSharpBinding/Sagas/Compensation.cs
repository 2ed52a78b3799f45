namespace Ambrosia.Runtime;

/// <summary>A call or an effect that takes back what another has done: state, named by destination or class and by method.</summary>
internal sealed class Compensation(string label, string destination, ImmortalEffects? effects, int method, byte[] arguments)
{
    private readonly string _label = label;
    private readonly string _destination = destination;
    private readonly ImmortalEffects? _effects = effects;
    private readonly int _method = method;
    private readonly byte[] _arguments = arguments;

    /// <summary>What it is, for people.</summary>
    public string Label => _label.Length > 0 ? _label
        : _effects is null ? $"method {_method} of {(_destination.Length > 0 ? _destination : "this immortal")}"
        : $"{_effects.GetContract().InterfaceName}.{_effects.GetContract().Find(_method)?.Name ?? $"method {_method}"}";

    /// <summary>Sends the call or asks for the effect; the cell gets its outcome.</summary>
    public DurableCell Begin(ISagaRuntime runtime)
    {
        if (_effects is null)
        {
            return runtime.Call(_destination, _method, _arguments);
        }

        if (_effects.GetContract().Find(_method) is null)
        {
            throw new MissingMethodException($"{_effects.GetContract().InterfaceName} has no method with id {_method} in this build: keep "
                + $"the old method until no saga needs it, or give the new one its number with [MethodId({_method})]");
        }

        var outcome = new VoidPendingCall();
        runtime.Effects.Ask(_effects, _method, _arguments, outcome);
        return outcome;
    }
}
