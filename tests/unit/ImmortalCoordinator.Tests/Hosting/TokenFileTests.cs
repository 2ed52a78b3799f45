using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

public sealed class TokenFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Many_that_start_at_once_agree_on_one_token_and_leave_nothing_beside_it()
    {
        for (int round = 0; round < 20; round++)
        {
            string path = _folder[$"tokens{round}/bank"];
            using var together = new Barrier(8);
            string[] tokens = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Factory.StartNew(
                () =>
                {
                    together.SignalAndWait();
                    return Load(path);
                },
                TaskCreationOptions.LongRunning)));
            Assert.Single(tokens.Distinct());
            Assert.Equal([path], Directory.GetFiles(Path.GetDirectoryName(path)!));
        }
    }

    [Fact]
    public void A_file_that_others_may_read_or_that_holds_too_little_is_refused_with_the_option_that_named_it()
    {
        string path = _folder["token"];
        Load(path);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead);
        Assert.Contains("other users", Assert.Throws<CoordinatorException>(() => Load(path)).Message, StringComparison.Ordinal);
        File.Delete(path);
        Directory.CreateDirectory(path);
        Assert.Contains("--admin-token-file", Assert.Throws<CoordinatorException>(() => Load(path)).Message, StringComparison.Ordinal);
        string small = _folder["small"];
        File.WriteAllText(small, "secret");
        File.SetUnixFileMode(small, UnixFileMode.UserRead);
        Assert.Contains("fewer than 32", Assert.Throws<CoordinatorException>(() => Load(small)).Message, StringComparison.Ordinal);
    }

    [Fact] // In a folder that all may write to, such as /tmp, anybody may have been first. Root can read what is nobody else's.
    public void A_file_that_another_user_has_made_is_refused_for_he_knows_the_token()
    {
        string path = _folder["token"];
        string token = Load(path);
        uint own = SocketCalls.EffectiveUser();
        if (own == 0)
        {
            Assert.Equal(0, Posix.ChangeOwner(path, 12345, Posix.SameOwner));
        }

        CoordinatorException refused = Assert.Throws<CoordinatorException>(() => Load(path, own == 0 ? null : own + 1));
        Assert.Equal("IC-1008", refused.Code);
        Assert.Contains("belongs to user", refused.Message, StringComparison.Ordinal);
        if (own == 0)
        {
            Assert.Equal(token, Load(path, 12345));
        }
    }

    private static string Load(string path, uint? user = null) =>
        TokenFile.LoadOrMake(path, "--admin-token-file", groupMayRead: false, new SystemEntropy(), user);
}
