using Ambrosia.Coordinator.Context;

namespace Ambrosia.Coordinator.State;

/// <summary>All inputs, by the sender's name; the instance itself is one of them.</summary>
/// <param name="limits">How many strangers are remembered.</param>
internal sealed class InputTable(CoreLimits? limits = null)
{
    private readonly CoreLimits _limits = limits ?? CoreLimits.Product;
    private readonly Dictionary<string, InputState> _inputs = [];
    private readonly List<InputState> _strangers = [];

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

    /// <summary>The input of this name; null when nobody ever called himself so.</summary>
    public InputState? Find(string name) => _inputs.GetValueOrDefault(name);

    /// <summary>
    /// The input of somebody who has just said Hello. The caller counts himself among its visitors until the connection has ended.
    /// </summary>
    public InputState Greet(string name)
    {
        if (Find(name) is { } known)
        {
            return known;
        }

        if (_strangers.Count >= _limits.Strangers)
        {
            _limits.Decided(CoreLimit.Strangers);
            ForgetStrangers();
        }

        InputState input = Get(name);
        _strangers.Add(input);
        return input;
    }

    /// <summary>Inputs of which nothing was ever accepted and that are not connected: one Hello protects nothing.</summary>
    private void ForgetStrangers()
    {
        foreach (InputState input in _strangers.Where(static input => input.IsUnknown && input.Connections == 0))
        {
            _inputs.Remove(input.Name);
        }

        _strangers.RemoveAll(static input => !input.IsUnknown || input.Connections == 0);
    }
}
