using System.Diagnostics.CodeAnalysis;
using MessagePack;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>Types with members that the library's standard resolver leaves out, or sets where they arrive by a constructor.</summary>
public static class Secretive
{
    [MessagePackObject]
    public sealed class PrivateField
    {
        [Key(0)]
        public int Open { get; set; }

        [Key(1)]
        private int _kept;

        public int Kept() => _kept;

        public PrivateField Keep(int value)
        {
            _kept = value;
            return this;
        }
    }

    [MessagePackObject]
    public sealed class PrivateProperty
    {
        [Key(0)]
        internal int Kept { get; set; }
    }

    [MessagePackObject]
    public sealed class PrivateSetter
    {
        [Key(0)]
        public int Kept { get; private set; }
    }

    [MessagePackObject]
    public sealed class PrivateGetter
    {
        [Key(0)]
        public int Kept { private get; set; }
    }

    [MessagePackObject(keyAsPropertyName: true)]
    public sealed class Named
    {
        public int Kept { get; private set; }
    }

    [MessagePackObject]
    public class Unset
    {
        [Key(0)]
        [SuppressMessage("Design", "CA1051", Justification = "Fields travel, too.")]
        public readonly int Kept = 1;
    }

    [MessagePackObject]
    public sealed class Derived : Unset;

    [MessagePackObject]
    public sealed class Holder
    {
        [Key(0)]
        public List<PrivateField> Items { get; set; } = [];
    }

    [MessagePackObject]
    public sealed class Fed(int kept, string label)
    {
        [Key(0)]
        public int Kept { get; } = kept;

        [Key(1)]
        [SuppressMessage("Design", "CA1051", Justification = "Fields travel, too.")]
        public readonly string Label = label;

        [Key(2)]
        public int Twice => Kept * 2;

        [IgnoreMember]
        public int Aside { get; private set; }

        private readonly int _unmarked = kept;

        public int Unmarked() => _unmarked;
    }

    [MessagePackObject(keyAsPropertyName: true)]
    public sealed record FedByName(int Kept)
    {
        public int Twice => Kept * 2;

        private int Unmarked { get; } = Kept;
    }
}
