using Ambrosia.Protocol.Tests.Support;

namespace Ambrosia.Protocol.Tests;

/// <summary>The byte-exact vectors of tests/support/vectors, which every implementation must agree on (G9, G10).</summary>
public sealed class VectorTests
{
    // The parts of a record's payload are walked by bindings, each in its own way; they run these vectors themselves.
    private static readonly string[] s_checkedByBindings = ["payload"];

    public static TheoryData<Vector> Valid => [.. Vector.All.Where(v => v.Invalid is null && !s_checkedByBindings.Contains(v.Structure))];

    public static TheoryData<Vector> Invalid =>
        [.. Vector.All.Where(v => v.Invalid is not null && !s_checkedByBindings.Contains(v.Structure))];

    [Theory]
    [MemberData(nameof(Valid))]
    public void Valid_bytes_decode_to_the_fields_and_encode_to_the_same_bytes(Vector vector)
    {
        Fields decoded = Decoders.All[vector.Structure](vector.Bytes);

        Assert.Equal(vector.Fields.OrderBy(f => f.Key), decoded.Values.OrderBy(f => f.Key));
        if (vector.Canonical && decoded.Encoded is not null)
        {
            Assert.Equal(Convert.ToHexString(vector.Bytes), Convert.ToHexString(decoded.Encoded));
        }
    }

    [Theory]
    [MemberData(nameof(Invalid))]
    public void Invalid_bytes_are_refused_with_a_reason(Vector vector)
    {
        var refused = Assert.Throws<ProtocolException>(() => Decoders.All[vector.Structure](vector.Bytes));

        Assert.NotEmpty(refused.Rule);
    }

    [Fact]
    public void Every_structure_has_valid_and_invalid_vectors()
    {
        string[] withoutInvalid = ["crc32c", "legacy-record", "initial-message"];
        foreach (string structure in Decoders.All.Keys)
        {
            Assert.Contains(Vector.All, v => v.Structure == structure && v.Invalid is null);
            Assert.Equal(!withoutInvalid.Contains(structure), Vector.All.Any(v => v.Structure == structure && v.Invalid is not null));
        }

        Assert.All(Vector.All, v =>
            Assert.True(Decoders.All.ContainsKey(v.Structure) || s_checkedByBindings.Contains(v.Structure), v.ToString()));
    }
}
