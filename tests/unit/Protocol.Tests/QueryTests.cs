namespace Ambrosia.Protocol.Tests;

public sealed class QueryTests
{
    [Fact]
    public void A_query_is_an_id_and_one_whole_message()
    {
        byte[] rpc = [0, 2, 1, 0x90];
        byte[] data = QueryRequest.Write(300, rpc);
        Assert.Equal(new byte[] { 0xAC, 0x02, 10, 0, 0, 2, 1, 0x90 }, data);
        QueryRequest request = QueryRequest.Read(data);
        Assert.Equal(300u, request.Id);
        Assert.Equal(rpc, request.Rpc.ToArray());
        for (int length = 0; length < data.Length; length++)
        {
            Assert.Throws<ProtocolException>(() => QueryRequest.Read(data.AsSpan(0, length)));
        }

        Assert.Throws<ProtocolException>(() => QueryRequest.Read([.. data, 0]));
        Assert.Throws<ProtocolException>(() => QueryRequest.Read([1, 10, 5, 0, 2, 1, 0x90]));
    }

    [Fact]
    public void A_reply_is_an_id_a_status_and_bytes()
    {
        var output = new System.Buffers.ArrayBufferWriter<byte>();
        QueryReply.Write(output, 5, QueryStatus.Failed, "why"u8);
        Assert.Equal(new byte[] { 5, 2, (byte)'w', (byte)'h', (byte)'y' }, output.WrittenSpan.ToArray());
        QueryReply reply = QueryReply.Read(output.WrittenSpan);
        Assert.Equal((5ul, QueryStatus.Failed, 3), (reply.Id, reply.Status, reply.Body.Length));
        Assert.Throws<ProtocolException>(() => QueryReply.Read([]));
        Assert.Throws<ProtocolException>(() => QueryReply.Read([5]));
        Assert.Throws<ProtocolException>(() => QueryReply.Read([5, 3]));
    }
}
