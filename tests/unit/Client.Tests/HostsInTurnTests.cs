namespace Ambrosia.Client.Tests;

/// <summary>The hosts of one name, of which some show certificates that are not trusted.</summary>
public sealed class HostsInTurnTests
{
    private static readonly InvalidOperationException s_untrusted = new("not trusted");

    [Fact] // A certificate that is just being replaced at one host ended what another one would have taken.
    public async Task The_next_host_is_asked_at_once_when_the_certificate_of_one_is_not_trusted()
    {
        using var hosts = new HostsInTurn<Host>(static number => new Host(number), new ManualTime());
        Assert.Equal(2, await AskAsync(hosts, 3, static host => host < 2));
        Assert.Equal(2, await AskAsync(hosts, 3, static host => host < 2)); // It stays there.
    }

    [Fact]
    public async Task It_ends_when_all_hosts_have_been_tried()
    {
        using var hosts = new HostsInTurn<Host>(static number => new Host(number), new ManualTime());
        foreach (int count in new[] { 1, 2, 3 })
        {
            var asked = new List<int>();
            InvalidOperationException thrown = await Assert.ThrowsAsync<InvalidOperationException>(() => AskAsync(hosts, count, host =>
            {
                asked.Add(host % count);
                return true;
            }));
            Assert.Same(s_untrusted, thrown);
            Assert.Equal(count, asked.Distinct().Count());
            Assert.Equal(count, asked.Count);
        }
    }

    [Fact]
    public async Task What_waits_at_a_host_that_others_do_not_trust_waits_on()
    {
        using var hosts = new HostsInTurn<Host>(static number => new Host(number), new ManualTime());
        HostsInTurn<Host>.Used waiting = hosts.Take();
        Assert.Equal(1, await AskAsync(hosts, 2, static host => host == 0));
        Assert.False(waiting.Connections.IsDisposed);
        hosts.Return(waiting, HostState.Serves);
        Assert.True(waiting.Connections.IsDisposed);
    }

    private static Task<int> AskAsync(HostsInTurn<Host> hosts, int count, Func<int, bool> isUntrusted) => hosts.AskAsync(
        host => isUntrusted(host.Number) ? throw s_untrusted : Task.FromResult((host.Number, true)),
        static error => error == s_untrusted ? HostState.Untrusted : HostState.Serves,
        () => Task.FromResult(count));

    private sealed class Host(int number) : IDisposable
    {
        public int Number => number;

        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }
}
