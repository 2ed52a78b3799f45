using System.Net.Sockets;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Sockets;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

public sealed class UnixSocketTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SocketTransport _transport =
        new(new SocketTransportOptions { MaxConnections = 2 }, TimeProvider.System, NullLogger.Instance);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Folder_and_socket_are_for_their_owner_only()
    {
        string path = _folder["made/a.sock"];
        await using IListener listener = await ListenAsync(path);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(_folder["made"]));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        await using IConnection connection = await _transport.ConnectAsync(EndPointName.Unix(path), default);
        Assert.Contains($"process {Environment.ProcessId} ", connection.Peer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_a_group_the_folder_may_be_entered_and_the_socket_connected_by_its_members_and_nobody_else()
    {
        Directory.CreateDirectory(_folder["kept"], (UnixFileMode)0x1C0);
        Directory.CreateDirectory(_folder["open"], (UnixFileMode)0x1ED);
        var transport = new SocketTransport(new SocketTransportOptions { Group = OwnGroup() }, TimeProvider.System, NullLogger.Instance);
        foreach ((string folder, int mode) in new[] { ("made", 0x1C8), ("kept", 0x1C8), ("open", 0x1ED) })
        {
            string path = _folder[folder + "/a.sock"];
            string? objection = "nobody looked";
            await using IListener listener = await transport.ListenAsync(EndPointName.Unix(path), connection =>
                Task.FromResult(objection = connection.UserObjection), default);
            Assert.Equal((UnixFileMode)mode, File.GetUnixFileMode(_folder[folder]));
            Assert.Equal((UnixFileMode)0x1B0, File.GetUnixFileMode(path)); // 0660
            await using IConnection connection = await transport.ConnectAsync(EndPointName.Unix(path), default);
            Assert.True(await connection.IsAtEndAsync());
            Assert.Null(objection);
        }
    }

    [Fact]
    public async Task What_a_killed_process_left_behind_is_replaced()
    {
        string path = _folder["a.sock"];
        using (var dead = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            dead.Bind(new UnixDomainSocketEndPoint(_folder["b"]));
            File.Move(_folder["b"], path);
        }

        await using IListener listener = await ListenAsync(path);
        await using IConnection connection = await _transport.ConnectAsync(EndPointName.Unix(path), default);
        Assert.True(await connection.IsAtEndAsync());
    }

    [Fact]
    public async Task A_lock_that_its_holder_gives_up_a_moment_later_is_waited_for()
    {
        string path = _folder["a.sock"];
        IListener first = await ListenAsync(path);
        Task<IListener> second = ListenAsync(path).AsTask();
        Assert.False(second.IsCompleted);
        await first.DisposeAsync();
        await using IListener listener = await second.OrFail();
        Assert.True(File.Exists(path));
    }

    [Fact]
    public async Task A_folder_in_which_others_may_replace_files_is_refused()
    {
        File.SetUnixFileMode(_folder.Path, (UnixFileMode)0x1FF);
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () => await ListenAsync(_folder["a.sock"]));
        Assert.Equal("IC-1011", error.Code);
        File.SetUnixFileMode(_folder.Path, (UnixFileMode)0x1C0 | UnixFileMode.StickyBit | UnixFileMode.OtherWrite);
        await (await ListenAsync(_folder["a.sock"])).DisposeAsync();
    }

    [Theory]
    [InlineData(1000, 0x41C0, true)] // ours, 0700
    [InlineData(1000, 0x43FF, true)] // ours, 1777
    [InlineData(0, 0x43FF, true)] // /tmp
    [InlineData(0, 0x41ED, true)]
    [InlineData(0, 0x41F8, false)] // Its group may replace files.
    [InlineData(1000, 0x41C2, false)]
    [InlineData(1001, 0x41C0, false)]
    [InlineData(1001, 0x43FF, false)] // Sticky, but its owner may replace every file.
    public void A_folder_is_used_only_if_it_is_this_users_or_roots_and_nobody_else_may_replace_its_files(int owner, int mode, bool used) =>
        Assert.Equal(used, SocketFolder.Objection(new PathStatus((uint)owner, (uint)mode), own: 1000) is null);

    [Theory]
    [InlineData(1000, null, true)]
    [InlineData(0, null, true)]
    [InlineData(1001, null, false)]
    [InlineData(1001, 1001, true)]
    [InlineData(1002, 1001, false)]
    public void What_listens_is_believed_only_if_it_is_this_users_or_roots_or_the_named_ones(int user, int? allowed, bool believed) =>
        Assert.Equal(believed, new SocketUser(7, (uint)user, 0).ListenerObjection(own: 1000, (uint?)allowed) is null);

    [Fact]
    public async Task Folders_that_are_missing_above_it_are_made_so_that_nobody_else_may_write_to_them()
    {
        await (await ListenAsync(_folder["one/two/a.sock"])).DisposeAsync();
        Assert.Equal((UnixFileMode)0, File.GetUnixFileMode(_folder["one"]) & (UnixFileMode)0x12);
        Assert.Equal((UnixFileMode)0x1C0, File.GetUnixFileMode(_folder["one/two"]));
    }

    [Fact]
    public async Task What_is_no_socket_is_not_deleted()
    {
        File.WriteAllText(_folder["a.sock"], "a letter");
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () => await ListenAsync(_folder["a.sock"]));
        Assert.Equal("IC-1011", error.Code);
        Assert.Equal("a letter", File.ReadAllText(_folder["a.sock"]));
    }

    [Fact]
    public async Task A_lock_that_is_a_link_is_not_followed()
    {
        File.CreateSymbolicLink(_folder["a.sock.lock"], _folder["elsewhere"]);
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () => await ListenAsync(_folder["a.sock"]));
        Assert.Equal("IC-1011", error.Code);
        Assert.False(File.Exists(_folder["elsewhere"]));
    }

    [Fact]
    public async Task A_folder_that_cannot_be_made_is_a_sentence()
    {
        File.WriteAllText(_folder["file"], "");
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () => await ListenAsync(_folder["file/a.sock"]));
        Assert.Equal("IC-1011", error.Code);
    }

    [Fact]
    public async Task A_path_beyond_the_limit_of_the_system_is_refused_before_anything_is_touched()
    {
        string longest = _folder[new string('a', 107 - _folder.Path.Length - 1)];
        await (await ListenAsync(longest)).DisposeAsync();
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () => await ListenAsync(longest + "b"));
        Assert.Equal("IC-1005", error.Code);
        Assert.False(File.Exists(longest + "b.lock"));
    }

    [Fact]
    public async Task Connections_beyond_the_limit_are_closed_and_room_is_made_when_others_end()
    {
        string path = _folder["a.sock"];
        var mayEnd = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener listener = await _transport.ListenAsync(
            EndPointName.Unix(path),
            async connection =>
            {
                await connection.SendAsync("in");
                await mayEnd.Task;
            },
            default);
        await using IConnection first = await _transport.ConnectAsync(listener.EndPoint, default);
        await using IConnection second = await _transport.ConnectAsync(listener.EndPoint, default);
        Assert.Equal("in", await first.ReceiveAsync(2));
        Assert.Equal("in", await second.ReceiveAsync(2));
        await using IConnection third = await _transport.ConnectAsync(listener.EndPoint, default);
        Assert.True(await third.IsAtEndAsync());
        mayEnd.SetResult();
        Assert.True(await first.IsAtEndAsync());
        Assert.True(await second.IsAtEndAsync());
        bool again = false;
        while (!again)
        {
            await using IConnection next = await _transport.ConnectAsync(listener.EndPoint, default);
            again = !await next.IsAtEndAsync();
        }
    }

    [Fact]
    public async Task An_address_inside_the_process_is_nothing_for_sockets()
    {
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () =>
            await _transport.ConnectAsync(EndPointName.Pipe("bank"), default));
        Assert.Equal("IC-1013", error.Code);
    }

    private static uint OwnGroup()
    {
        using System.Diagnostics.Process id =
            System.Diagnostics.Process.Start(new System.Diagnostics.ProcessStartInfo("id", "-g") { RedirectStandardOutput = true })!;
        return uint.Parse(id.StandardOutput.ReadToEnd(), System.Globalization.CultureInfo.InvariantCulture);
    }

    private ValueTask<IListener> ListenAsync(string path) =>
        _transport.ListenAsync(EndPointName.Unix(path), _ => Task.CompletedTask, default);
}
