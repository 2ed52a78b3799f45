using System.Buffers;

namespace Ambrosia.Protocol.Tests;

/// <summary>What a reader refuses for its length is not written: a message, or a record, that nobody can read again must never
/// exist.</summary>
public sealed class StringLimitTests
{
    private static readonly string s_longest = new('x', FrameLimits.HandshakeString);

    public static TheoryData<string> HelloFields => ["binding", "version", "hash", "fingerprint", "instance", "token"];

    [Theory]
    [MemberData(nameof(HelloFields))]
    public void A_string_of_a_hello_is_as_long_as_its_reader_takes_or_refused(string field)
    {
        Assert.Equal(Hello(field, s_longest), BindingHello.Read(Bytes(Hello(field, s_longest).Write)));
        Assert.Throws<ProtocolException>(() => Bytes(Hello(field, s_longest + "x").Write));
    }

    [Fact]
    public void A_version_of_the_state_is_as_long_as_its_reader_takes_or_refused()
    {
        Assert.Equal(s_longest, StateVersion.Read(Bytes(new StateVersion(s_longest, s_longest).Write)).Goal);
        Assert.Throws<ProtocolException>(() => Bytes(new StateVersion(s_longest + "x", "").Write));
        Assert.Throws<ProtocolException>(() => Bytes(new StateVersion("", s_longest + "x").Write));
        Assert.Equal(new ConversionRequest(s_longest, new string('b', BuildCompared.LongestBuild)),
            ConversionRequest.Read(Bytes(new ConversionRequest(s_longest, new string('b', BuildCompared.LongestBuild)).Write)));
        Assert.Equal(new ConversionRequest("v2", null), ConversionRequest.Read(Bytes(new ConversionRequest("v2", null).Write)));
        Assert.Throws<ProtocolException>(() => Bytes(new ConversionRequest("v2", new string('b', BuildCompared.LongestBuild + 1)).Write));
    }

    [Fact]
    public void A_fault_is_as_long_as_its_reader_takes_or_refused()
    {
        string longest = new('x', HandlerFault.MaxText);
        Assert.Equal(longest, HandlerFault.Read(Bytes(new HandlerFault(1, 2, 3, longest).Write)).Text);
        Assert.Throws<ProtocolException>(() => Bytes(new HandlerFault(1, 2, 3, longest + "x").Write));
    }

    [Fact]
    public void The_limit_counts_bytes_and_not_characters()
    {
        string wide = new('\u4e16', FrameLimits.HandshakeString / 3);
        Assert.Equal(wide, StateVersion.Read(Bytes(new StateVersion(wide, "").Write)).Version);
        Assert.Throws<ProtocolException>(() => Bytes(new StateVersion(wide + "\u4e16", "").Write));
    }

    private static BindingHello Hello(string field, string text)
    {
        string Of(string name) => name == field ? text : "";
        return new(2, 2, 0, Guid.Empty, Of("binding"), Of("version"), Of("hash"), Of("fingerprint"), Of("instance"), Of("token"));
    }

    private static byte[] Bytes(Action<IBufferWriter<byte>> write)
    {
        var output = new ArrayBufferWriter<byte>();
        write(output);
        return output.WrittenSpan.ToArray();
    }
}
