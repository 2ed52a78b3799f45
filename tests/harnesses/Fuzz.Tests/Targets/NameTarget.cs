using System.Text;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Names of instances: they become names of folders, so what passes must be harmless as one.</summary>
internal sealed class NameTarget : FuzzTarget
{
    public override string Name => "names";

    public override int Largest => 80;

    public override IReadOnlyList<byte[]> Words => [.. "..|/|\\|.|:|-|_|\0|ä|é".Split('|').Select(Encoding.UTF8.GetBytes)];

    public override IEnumerable<byte[]> Seeds() => Vectors.Of("name");

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        bool valid = InstanceName.IsValid(input.Span);
        string text = Encoding.Latin1.GetString(input.Span);
        Require(InstanceName.IsValid(text) == valid, "bytes and text agree");
        Require(!valid || (Path.GetFileName(text) == text && text is not ("." or "..") && !text.Contains('/', StringComparison.Ordinal)),
            "a name is one component of a path");
        return valid ? Accepted : "not a name";
    }
}
