using System.Globalization;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>How long a handshake may take, as the pages say it and as the program does it.</summary>
public sealed class HelloTimeTests
{
    [Theory]
    [InlineData("internals/protocol.md", @"the app takes over\. It must come within (\w+) seconds")]
    [InlineData("operate/errors.md", @"did not say Hello within (\w+) seconds")]
    public void The_pages_give_an_app_the_time_for_its_Hello_that_it_has(string page, string sentence) =>
        Assert.Equal(AppServer.HelloTime, Said(page, sentence));

    [Theory]
    [InlineData("operate/security.md", @"says nothing for (\w+) seconds")]
    public void The_pages_give_a_peer_the_time_that_it_has(string page, string sentence) =>
        Assert.Equal(PeerSettings.HandshakeTime, Said(page, sentence));

    private static TimeSpan Said(string page, string sentence)
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, "docs", page));
        string number = Assert.Single(Regex.Matches(text, sentence)).Groups[1].Value;
        return TimeSpan.FromSeconds(number == "five" ? 5 : int.Parse(number, CultureInfo.InvariantCulture));
    }
}
