using Ambrosia.Coordinator.Context;

namespace Ambrosia.Coordinator.State;

/// <summary>All inputs, by the sender's name; the instance itself is one of them.</summary>
/// <param name="limits">How many senders are remembered of which nothing was ever accepted.</param>
internal sealed class InputTable(CoreLimits? limits = null)
{
    private readonly CoreLimits _limits = limits ?? CoreLimits.Product;
    private readonly Dictionary<string, InputState> _inputs = [];
    private readonly List<InputState> _unknown = [];

    public IEnumerable<InputState> All => _inputs.Values;

    public InputState Get(string name)
    {
        if (!_inputs.TryGetValue(name, out InputState? input))
        {
            input = new InputState(name);
            _inputs.Add(name, input);
        }

        return input;
    }

    /// <summary>The input of this name; null when no peer ever gave this name.</summary>
    public InputState? Find(string name) => _inputs.GetValueOrDefault(name);

    /// <summary>
    /// The input of a peer that has just said Hello. The caller counts its connection among the input's until that has ended.
    /// </summary>
    public InputState Greet(string name)
    {
        if (Find(name) is { } known)
        {
            return known;
        }

        if (_unknown.Count >= _limits.UnknownSenders)
        {
            _limits.Decided(CoreLimit.UnknownSenders);
            ForgetUnknown();
        }

        InputState input = Get(name);
        _unknown.Add(input);
        return input;
    }

    /// <summary>Inputs of which nothing was ever accepted and that are not connected: one Hello protects nothing.</summary>
    private void ForgetUnknown()
    {
        foreach (InputState input in _unknown.Where(static input => input.IsUnknown && input.Connections == 0))
        {
            _inputs.Remove(input.Name);
        }

        _unknown.RemoveAll(static input => !input.IsUnknown || input.Connections == 0);
    }
}
