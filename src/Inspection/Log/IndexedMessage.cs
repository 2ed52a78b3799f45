using Ambrosia.Inspection.Text;

namespace Ambrosia.Inspection.Log;

/// <summary>What the index keeps of one message, in eight bytes.</summary>
/// <param name="Method">Method called or answered.</param>
/// <param name="Sender">Number of the sender in the index.</param>
/// <param name="Kind">What it is.</param>
public readonly record struct IndexedMessage(int Method, ushort Sender, MessageKind Kind);
