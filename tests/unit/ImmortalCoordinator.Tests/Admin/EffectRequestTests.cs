using System.Net;
using System.Text;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>What becomes of a request to <c>/effects/KEY/run</c> and <c>fail</c> (docs/internals/effect-rules.md E20).</summary>
public sealed class EffectRequestTests
{
    private readonly FakeStatus _status = new();
    private AppQuery? _asked;

    [Theory]
    [InlineData("/effects/4712:0:1/run", "04E8240001", "effect 4712:0:1 is performed again\n")]
    [InlineData("/effects/4712:0:1/fail?reason=by%20hand", "05E82400010762792068616E64", "effect 4712:0:1 is given up\n")]
    public async Task A_decision_is_handed_to_the_app(string request, string arguments, string said)
    {
        Answer(QueryStatus.Answered, "");
        Assert.Equal((HttpStatusCode.OK, said), await SendAsync(HttpMethod.Post, request));
        Assert.Equal("000B01" + arguments, Convert.ToHexString(_asked!.Rpc)); // A fork of method -6.
    }

    [Fact]
    public async Task What_the_app_says_against_it_is_told()
    {
        Answer(QueryStatus.Failed, "no effect 17:3:0 is pending");
        Assert.Equal((HttpStatusCode.Conflict, "nothing was changed: no effect 17:3:0 is pending\n"),
            await SendAsync(HttpMethod.Post, "/effects/17:3:0/run"));
        Answer(QueryStatus.Unknown, "");
        Assert.Equal((HttpStatusCode.Conflict, "nothing was changed: the app does not know such decisions\n"),
            await SendAsync(HttpMethod.Post, "/effects/17:3:0/run"));
    }

    [Theory]
    [InlineData("GET", "/effects/17:3:0/run", HttpStatusCode.MethodNotAllowed)]
    [InlineData("POST", "/effects/17:3:0", HttpStatusCode.NotFound)]
    [InlineData("POST", "/effects/17:3:0/drop", HttpStatusCode.NotFound)]
    [InlineData("POST", "/effects/17:3/run", HttpStatusCode.NotFound)]
    [InlineData("POST", "/effects/17:-3:0/run", HttpStatusCode.NotFound)]
    [InlineData("POST", "/effects/17:4294967296:0/run", HttpStatusCode.NotFound)]
    [InlineData("POST", "/effects/17:3:0/fail?reason=a%0Ab", HttpStatusCode.BadRequest)]
    [InlineData("POST", "/effects/17:3:0/run", HttpStatusCode.Conflict)] // No app.
    public async Task What_is_no_decision_is_a_sentence(string method, string request, HttpStatusCode code)
    {
        (HttpStatusCode answered, string body) = await SendAsync(new HttpMethod(method), request);
        Assert.Equal(code, answered);
        Assert.NotEmpty(body.Trim());
        Assert.Null(_asked);
    }

    private void Answer(QueryStatus answer, string reason) => _status.Query = (query, _) =>
    {
        _asked = query;
        return Task.FromResult(new AppAnswer(17, answer, Encoding.UTF8.GetBytes(reason)));
    };

    private Task<(HttpStatusCode Code, string Body)> SendAsync(HttpMethod method, string request) =>
        AdminUnderTest.SendAsync(_status, method, request);
}
