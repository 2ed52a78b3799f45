namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>All inputs, by the sender's name; the instance itself is one of them.</summary>
internal sealed class InputTable
{
    private readonly Dictionary<string, InputState> _inputs = [];

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
}
