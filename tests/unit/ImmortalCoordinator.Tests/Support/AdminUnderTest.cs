using System.Net;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>The admin server on a port of this machine, asked with its token.</summary>
internal static class AdminUnderTest
{
    private static readonly string s_token = new('t', 32);

    /// <summary>Starts it, asks it once and ends it.</summary>
    public static async Task<(HttpStatusCode Code, string Body)> SendAsync(FakeStatus status, HttpMethod method, string request)
    {
        await using AdminServer server = await AdminServer.StartAsync(
            EndPointName.Tcp("127.0.0.1", 0), s_token, status, TimeProvider.System, NullLoggerProvider.Instance, default);
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{server.EndPoint.Port}") };
        client.DefaultRequestHeaders.Add("Authorization", "Bearer " + s_token);
        using var message = new HttpRequestMessage(method, new Uri(request, UriKind.Relative));
        using HttpResponseMessage answer = await client.SendAsync(message);
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }
}
