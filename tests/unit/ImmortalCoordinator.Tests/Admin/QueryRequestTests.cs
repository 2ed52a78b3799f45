using System.Net;
using System.Text;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>What becomes of a request to <c>/query/METHOD</c>.</summary>
public sealed class QueryRequestTests
{
    private readonly FakeStatus _status = new();
    private AppQuery? _asked;

    [Fact]
    public async Task A_request_becomes_a_call_by_name_and_the_answer_JSON_with_its_LSN_and_role()
    {
        _status.Current = _status.Current with { Role = "secondary" };
        Answer(new AppAnswer(17, QueryStatus.Answered, [0x93, 1, 0xA1, (byte)'x', 0xC0]));
        (HttpStatusCode code, string body) =
            await GetAsync("/query/BalanceOf?args=[\"alice\",-5,300,1.5,{\"a\":[true,null]}]&at-least=4711");
        Assert.Equal((HttpStatusCode.OK, "{\"lsn\":17,\"role\":\"secondary\",\"result\":[1,\"x\",null]}\n"), (code, body));
        Assert.Equal(4711ul, _asked!.AtLeast);
        Assert.Equal((RpcForm.Call, RpcKind.Fork, -3, "[\"BalanceOf\",[\"alice\",-5,300,1.5,{\"a\":[true,null]}]]"), Read(_asked.Rpc));
    }

    private static (RpcForm, RpcKind, int, string) Read(byte[] rpc)
    {
        RpcHeader call = RpcHeader.Read(rpc);
        return (call.Form, call.Kind, call.MethodId, MessagePackText.ToJson(call.Body)!.ToJsonString());
    }

    [Theory]
    [InlineData("0", "00")]
    [InlineData("-32", "E0")]
    [InlineData("-33", "D0DF")]
    [InlineData("200", "CCC8")]
    [InlineData("-200", "D1FF38")]
    [InlineData("70000", "CE00011170")]
    [InlineData("-70000", "D2FFFEEE90")]
    [InlineData("5000000000", "CF000000012A05F200")]
    [InlineData("-5000000000", "D3FFFFFFFED5FA0E00")]
    [InlineData("18446744073709551615", "CFFFFFFFFFFFFFFFFF")]
    [InlineData("0.5", "CB3FE0000000000000")]
    [InlineData("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "DD0000001000000000000000000000000000000000")]
    [InlineData("\"abcdefghijklmnopqrstuvwxyz0123456\"", "DB000000216162636465666768696A6B6C6D6E6F707172737475767778797A30313233343536")]
    public void JSON_becomes_MessagePack(string json, string bytes) =>
        Assert.Equal(bytes, Convert.ToHexString(JsonMessagePack.ToBytes(System.Text.Json.Nodes.JsonNode.Parse(json))));

    [Theory]
    [InlineData(QueryStatus.Unknown, "", HttpStatusCode.NotFound, "IC-1041")]
    [InlineData(QueryStatus.Failed, "it threw", HttpStatusCode.UnprocessableEntity, "IC-1042")]
    public async Task An_app_that_has_no_result_says_why_with_a_code(QueryStatus status, string reason, HttpStatusCode code, string error)
    {
        Answer(new AppAnswer(17, status, Encoding.UTF8.GetBytes(reason)));
        (HttpStatusCode answered, string body) = await GetAsync("/query/BalanceOf");
        Assert.Equal(code, answered);
        Assert.StartsWith(error, body, StringComparison.Ordinal);
        Assert.Contains(reason, body, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_record_that_does_not_come_in_time_is_said_with_the_one_that_is_there()
    {
        _status.Current = _status.Current with { App = _status.Current.App with { Lsn = 12 } };
        _status.Query = static async (_, cancellation) =>
        {
            await Task.Delay(Timeout.Infinite, cancellation);
            throw new InvalidOperationException("nobody comes here");
        };
        (HttpStatusCode code, string body) = await GetAsync("/query/BalanceOf?at-least=4711&wait=20ms");
        Assert.Equal(HttpStatusCode.GatewayTimeout, code);
        Assert.StartsWith("IC-1043 the app did not answer within 0.02 s | it is at record 12, 4711 was asked for", body,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/query/", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf?args=alice", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf?args=5", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf?args=[\"\\ud800\"]", HttpStatusCode.BadRequest)] // Half a character.
    [InlineData("/query/BalanceOf?args=[{\"a\":1,\"a\":2}]", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf?args=[{\"\\udc00\":1}]", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf?at-least=last", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf?wait=2h", HttpStatusCode.BadRequest)]
    [InlineData("/query/BalanceOf", HttpStatusCode.Conflict)] // No app.
    public async Task What_cannot_be_asked_is_a_sentence(string request, HttpStatusCode code)
    {
        (HttpStatusCode answered, string body) = await GetAsync(request);
        Assert.Equal(code, answered);
        Assert.NotEmpty(body.Trim());
        Assert.Null(_asked);
    }

    private void Answer(AppAnswer answer) => _status.Query = (query, _) =>
    {
        _asked = query;
        return Task.FromResult(answer);
    };

    private Task<(HttpStatusCode Code, string Body)> GetAsync(string request) => AdminUnderTest.SendAsync(_status, HttpMethod.Get, request);
}
