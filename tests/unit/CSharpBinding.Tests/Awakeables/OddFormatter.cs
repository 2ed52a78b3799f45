using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Awakeables;

/// <summary>Reads and writes <see cref="Odd"/>.</summary>
internal readonly struct OddFormatter : IFormatter<Odd>
{
    public void Write(ref MessagePackWriter writer, Odd value) => writer.WriteString("");

    public Odd Read(ref MessagePackReader reader) => new(reader.ReadString());
}
