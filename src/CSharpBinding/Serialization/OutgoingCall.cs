using System.Buffers;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>A message that a generated proxy is writing: between Begin and End it writes the arguments.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct OutgoingCall
{
    /// <summary>Takes the arguments: one MessagePack array.</summary>
    [SuppressMessage("Design", "CA1051",
        Justification = "A ref struct of a hot path; writers are passed by reference, which a property does not allow.")]
    public MessagePackWriter Arguments;

    internal OutgoingCall(MessagePackWriter arguments, int token)
    {
        Arguments = arguments;
        Token = token;
    }

    internal OutgoingCall(ArrayBufferWriter<byte> scratch, MessagePackLibrary library, int token = 0)
    {
        Arguments = new MessagePackWriter(scratch, library);
        Token = token;
        Scratch = scratch;
    }

    internal int Token { get; }

    /// <summary>Where arguments lie that are sent in another form; null for those that are sent as they are.</summary>
    internal ArrayBufferWriter<byte>? Scratch { get; }
}
