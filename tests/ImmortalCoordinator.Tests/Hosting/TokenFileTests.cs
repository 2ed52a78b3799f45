using Ambrosia.ImmortalCoordinator.Hosting;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;

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

    private static string Load(string path) => TokenFile.LoadOrMake(path, "--admin-token-file", groupMayRead: false, new SystemEntropy());
}
