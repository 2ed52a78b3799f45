using Ambrosia.Primitives;
using FsCheck;
using FsCheck.Fluent;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>Values for properties, of every length that they may have on the wire. What fails is shrunk: numbers towards 0, texts by
/// leaving characters out.</summary>
public static class Drawn
{
    public static Arbitrary<ulong> Numbers() => Arb.From(
        from parts in Gen.Choose(0, ushort.MaxValue).ArrayOf(4)
        from shift in Gen.Choose(0, 63)
        select parts.Aggregate(0UL, static (number, part) => (number << 16) | (uint)part) >> shift,
        static number => number == 0 ? Enumerable.Empty<ulong>() : [0, number / 2, number - 1]);

    public static Arbitrary<long> SignedNumbers() =>
        Numbers().Convert(static n => (long)(n >> 1) ^ -(long)(n & 1), static n => (ulong)((n << 1) ^ (n >> 63)));

    public static Arbitrary<int> Integers() => SignedNumbers().Convert(static n => (int)n, static n => n);

    /// <summary>Characters of one, two and four bytes.</summary>
    public static Arbitrary<string> Texts() => Arb.From(
        from seed in Gen.Choose(0, int.MaxValue)
        from length in Gen.Choose(0, 100)
        select string.Concat(new Random(seed).GetItems<string>(["a", "ü", "🦎"], length)),
        static text => text.EnumerateRunes().Select(rune => text.Replace(rune.ToString(), "", StringComparison.Ordinal)).Prepend(text[..0])
        .Where(less => less.Length < text.Length));

    public static Arbitrary<Name> Names() =>
        ArbMap.Default.ArbFor<byte>().Convert(static more => new Name("n" + new string('x', more % InstanceName.MaxLength)), static name =>
            (byte)(name.Text.Length - 1));

    /// <summary>An RPC in delivery form; only a call has a kind.</summary>
    public sealed record Rpc(RpcForm Form, RpcKind Kind, int Method, byte Caller, long Number, byte[] Body)
    {
        public byte[] Message =>
            Messages.Message(0, Messages.RpcData(Form, Method, Form == RpcForm.Call ? Kind
                : RpcKind.Fork, $"caller-{Caller}", Number & long.MaxValue, Body));
    }

    /// <summary>An instance's name.</summary>
    public readonly record struct Name(string Text);
}
