using System.Net;
using Ambrosia.Coordinator.Operations;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>What a person decides about dead letters, as requests to the admin address.</summary>
public sealed class DeadLetterRequestTests
{
    private readonly FakeStatus _status = new();

    [Theory]
    [InlineData("/deadletters/17:3/quarantine", DeadLetterVerb.Quarantine)]
    [InlineData("/deadletters/17:3/quarantine?force=true", DeadLetterVerb.QuarantineForced)]
    [InlineData("/deadletters/17:3/redrive", DeadLetterVerb.Redrive)]
    [InlineData("/deadletters/17:3/drop", DeadLetterVerb.Drop)]
    public async Task A_decision_is_passed_on(string request, DeadLetterVerb expected)
    {
        (DeadLetterVerb Verb, MessagePosition Position) passed = default;
        _status.Change = (verb, position) =>
        {
            passed = (verb, position);
            return "done";
        };
        Assert.Equal((HttpStatusCode.OK, "done\n"), await AdminUnderTest.SendAsync(_status, HttpMethod.Post, request));
        Assert.Equal((expected, new MessagePosition(17, 3)), passed);
    }

    [Theory]
    [InlineData("/deadletters/17:3/quarantineforced", HttpStatusCode.NotFound, "quarantine, redrive or drop")]
    [InlineData("/deadletters/17:3/retry", HttpStatusCode.NotFound, "quarantine, redrive or drop")]
    [InlineData("/deadletters/17:3/1", HttpStatusCode.NotFound, "quarantine, redrive or drop")]
    [InlineData("/deadletters/17/drop", HttpStatusCode.NotFound, "as in /deadletters/17:3")]
    [InlineData("/deadletters/17:3/quarantine?force=yes", HttpStatusCode.BadRequest, "?force=true")]
    [InlineData("/deadletters/17:3/drop?force=true", HttpStatusCode.BadRequest, "force is for quarantine only")]
    public async Task What_is_no_decision_changes_nothing(string request, HttpStatusCode expected, string says)
    {
        bool asked = false;
        _status.Change = (_, _) => (asked = true).ToString();
        (HttpStatusCode code, string body) = await AdminUnderTest.SendAsync(_status, HttpMethod.Post, request);
        Assert.Equal(expected, code);
        Assert.Contains(says, body, StringComparison.Ordinal);
        Assert.False(asked);
    }
}
