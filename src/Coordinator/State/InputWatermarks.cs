using Ambrosia.Coordinator.Records;

namespace Ambrosia.Coordinator.State;

/// <summary>The inputs as of one record: what checkpoint and records say of them, and nothing of what is known only in memory.</summary>
internal sealed class InputWatermarks
{
    private readonly Dictionary<string, InputWatermark> _inputs = [];
    private readonly Dictionary<string, InputWatermark> _before = [];

    /// <summary>
    /// All inputs: each once, or twice if another sender had its name before (docs/internals/exactly-once.md H16); that one comes first.
    /// </summary>
    public IEnumerable<InputWatermark> All => _before.Values.Concat(_inputs.Values);

    /// <summary>Names of the senders.</summary>
    public IEnumerable<string> Names => _inputs.Keys;

    /// <summary>The input of this name, if a record or the checkpoint names it.</summary>
    public bool TryGet(string name, out InputWatermark input) => _inputs.TryGetValue(name, out input);

    /// <summary>Takes what a checkpoint or the next record says.</summary>
    public void Apply(List<InputWatermark> inputs)
    {
        foreach (InputWatermark input in inputs)
        {
            if (_inputs.TryGetValue(input.Name, out InputWatermark known) && known.SenderId != input.SenderId)
            {
                _before[input.Name] = known;
            }

            _inputs[input.Name] = input;
        }
    }
}
